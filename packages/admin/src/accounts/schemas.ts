import { Type } from "typebox";
import { bodyObject, closedObject, MAX_INT32, nullableText } from "../http/schemas.ts";

/** Passwords are cut nowhere, and this is more than anybody types. */
const MAX_PASSWORD_LENGTH = 1000;
const MAX_NAME_LENGTH = 100;
const MAX_EMAIL_LENGTH = 254;
const MAX_SECRET_LENGTH = 200;

export const Password = Type.String({ maxLength: MAX_PASSWORD_LENGTH });
export const Username = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH });
export const Email = Type.String({ minLength: 3, maxLength: MAX_EMAIL_LENGTH });
export const Name = Type.String({ maxLength: MAX_NAME_LENGTH });
export const Secret = Type.String({ minLength: 1, maxLength: MAX_SECRET_LENGTH });
const Login = Type.String({ minLength: 1, maxLength: MAX_EMAIL_LENGTH });

export const LoginBody = closedObject("loginSchema", { username: Login, password: Password });

export const SetupBody = closedObject("setupSchema", {
  code: Secret,
  username: Username,
  email: Type.Optional(Email),
  name: Type.Optional(Name),
  password: Password,
});

export const ResetBody = closedObject("changePasswordSchema", {
  token: Secret,
  password: Password,
});
export const PasswordBody = closedObject("validatePasswordSchema", { password: Password });
export const EmailBody = closedObject("emailSchema", {
  email: Type.String({ maxLength: MAX_EMAIL_LENGTH }),
});
export const LinkQuery = Type.Object({ token: Secret });

/** NOTE: a number or a name, as in the upstream API. */
const RootRole = Type.Unsafe<number | string>({
  type: ["integer", "string"],
  enum: [1, 2, 3, "1", "2", "3", "Admin", "Editor", "Viewer"],
  description: "The role in the whole service: 1 or `Admin`, 2 or `Editor`, 3 or `Viewer`",
});

/** An account without its role, as commands send it. */
export const NewUserBody = bodyObject("newUserSchema", {
  username: Type.Optional(Username),
  email: Type.Optional(Email),
  name: Type.Optional(Name),
  password: Type.Optional(Password),
});

export const CreateUserBody = bodyObject("createUserSchema", {
  username: Type.Optional(Username),
  email: Type.Optional(Email),
  name: Type.Optional(Name),
  password: Type.Optional(Password),
  rootRole: RootRole,
  sendEmail: Type.Optional(
    Type.Boolean({ description: "Has no effect: the service sends no mail. Copy `inviteLink`" }),
  ),
});

/** What reading a user returns besides, and tools send back. */
const READ_ONLY = [
  "id",
  "isAPI",
  "imageUrl",
  "inviteLink",
  "invited",
  "hasPassword",
  "loginAttempts",
  "emailSent",
  "seenAt",
  "createdAt",
  "accountType",
  "permissions",
  "scimId",
  "activeSessions",
  "deletedSessions",
  "kind",
  "sendEmail",
];

export const UpdateUserBody = bodyObject(
  "updateUserSchema",
  {
    username: Type.Optional(nullableText(MAX_NAME_LENGTH)),
    email: Type.Optional(nullableText(MAX_EMAIL_LENGTH)),
    name: Type.Optional(nullableText(MAX_NAME_LENGTH)),
    rootRole: Type.Optional(RootRole),
    disabled: Type.Optional(
      Type.Boolean({ description: "A disabled user is signed out, and cannot sign in" }),
    ),
  },
  READ_ONLY,
);

export const ResetLinkBody = bodyObject("idSchema", {
  id: Type.String({ minLength: 1, description: "The email address, user name or id of the user" }),
});

export const OwnPasswordBody = closedObject("passwordSchema", {
  password: Password,
  confirmPassword: Type.Optional(Password),
  oldPassword: Password,
});

/** NOTE: path parameters are text. */
export const IdParams = Type.Object({
  id: Type.String({ pattern: String.raw`^\d{1,9}$`, description: "A whole number" }),
});
export const SearchQuery = Type.Object({ q: Type.Optional(Type.String({ maxLength: 100 })) });

const ExpiresAt = Type.String({ format: "date-time" });

export const CreatePersonalTokenBody = bodyObject("createPatSchema", {
  description: Type.String({ minLength: 1, maxLength: 255 }),
  expiresAt: ExpiresAt,
});

export const CreateInviteLinkBody = bodyObject("publicSignupTokenCreateSchema", {
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  expiresAt: ExpiresAt,
});
export const UpdateInviteLinkBody = bodyObject(
  "publicSignupTokenUpdateSchema",
  { expiresAt: Type.Optional(ExpiresAt), enabled: Type.Optional(Type.Boolean()) },
  ["secret", "url", "name", "createdAt", "createdBy", "users", "role"],
);
export const SecretParams = Type.Object({ secret: Secret });

export const SignUpBody = bodyObject("createInvitedUserSchema", {
  email: Email,
  name: Type.Optional(Name),
  username: Type.Optional(Username),
  password: Password,
});

const RoleId = Type.Integer({ description: "4: Owner, 5: Member" });
const UserIds = Type.Array(Type.Integer({ minimum: 1, maximum: MAX_INT32 }), { maxItems: 1000 });
const NoGroups = Type.Optional(
  Type.Array(Type.Unknown(), { maxItems: 0, description: "Groups are not supported" }),
);

export const AddAccessBody = bodyObject("projectAddAccessSchema", {
  roles: Type.Array(RoleId, { minItems: 1, maxItems: 10 }),
  users: UserIds,
  groups: NoGroups,
});

export const ReplaceAccessBody = bodyObject("projectAccessConfigurationSchema", {
  roles: Type.Array(
    closedObject("projectAccessRoleSchema", {
      id: RoleId,
      users: Type.Optional(UserIds),
      groups: NoGroups,
    }),
    { maxItems: 10 },
  ),
});

export const MemberRolesBody = bodyObject("projectUserRolesSchema", {
  roles: Type.Array(RoleId, { maxItems: 10 }),
});

export const MemberParams = Type.Object({
  projectId: Type.String(),
  userId: Type.String({ pattern: String.raw`^\d{1,9}$`, description: "A whole number" }),
});
