import { Type } from "typebox";
import { type Account, namesOf } from "../access/account.ts";
import { ROOT_ROLES } from "./roles.ts";

/** Returns the public part of an account. */
export function toUserView(account: Account) {
  const { id, role, createdAt, seenAt, disabledAt, issuer } = account;
  return {
    id,
    ...namesOf(account),
    rootRole: ROOT_ROLES[role].id,
    accountType: "User" as const,
    permissions: [],
    seenAt,
    createdAt,
    disabled: disabledAt !== null,
    /** How the user signs in. */
    kind: issuer === null ? ("user" as const) : ("openid" as const),
  };
}

export type UserView = ReturnType<typeof toUserView>;

/** Returns the states of an account before and after a change, for an event. */
export function toUserStates(before: Account | undefined, after: Account | undefined) {
  return {
    ...(before !== undefined && { before: toEventState(before) }),
    ...(after !== undefined && { after: toEventState(after) }),
  };
}

/** NOTE: without times, which change all the time. With the identity, which nobody could look up after a deletion. */
function toEventState({ id, username, email, name, role, disabledAt, issuer, subject }: Account) {
  return {
    id,
    username,
    email,
    name,
    rootRole: ROOT_ROLES[role].id,
    disabled: disabledAt !== null,
    ...(issuer !== null && { issuer, subject }),
  };
}

const Time = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
/** The names of an account, of which it has at least one. */
export const NAMES = {
  name: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
};

export const UserSchema = Type.Object(
  {
    id: Type.Integer(),
    ...NAMES,
    rootRole: Type.Integer({ description: "1: admin, 2: editor, 3: viewer" }),
    accountType: Type.String(),
    permissions: Type.Array(Type.String()),
    seenAt: Time,
    createdAt: Time,
    disabled: Type.Boolean({ description: "Whether the user cannot sign in" }),
    kind: Type.String({
      description: "`user`: signs in with a password; `openid`: with OpenID Connect",
    }),
  },
  { title: "accountSchema" },
);
