import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { namesOf } from "./account.ts";
import { operation } from "./operation.ts";
import { callerOf } from "./request-identity.ts";
import { ROLES, type Role } from "./role.ts";

const UserResponse = Type.Object(
  {
    user: Type.Object(
      {
        name: Type.String(),
        kind: Type.String({ description: "`token`, `user` or `openid`" }),
        id: Type.Union([Type.Integer(), Type.Null()], {
          description: "The id of the account; null for a token",
        }),
        username: Type.Optional(Type.String()),
        email: Type.Optional(Type.String()),
        isAPI: Type.Boolean({ description: "Whether the user is the owner of a token" }),
      },
      { title: "userSchema" },
    ),
    role: Type.Unsafe<Role>({ type: "string", enum: ROLES }),
    permissions: Type.Array(
      Type.Object({ permission: Type.String() }, { title: "userPermissionSchema" }),
      { description: "`ADMIN` for admins, and absent for other roles: read `role`" },
    ),
    feedback: Type.Array(Type.Object({}, { title: "feedbackSchema" }), {
      description: "Always empty",
    }),
    splash: Type.Object({}, { title: "splashSchema", description: "Always empty" }),
  },
  { title: "currentUserSchema" },
);

/** Describes the owner of the token or of the session of a request. */
export function registerUser(app: TypedApp): void {
  app.get(
    "/user",
    operation({
      id: "getMe",
      role: "viewer",
      tag: "Users",
      summary: "Returns the current user",
      returns: UserResponse,
    }),
    (request) => {
      const { name, kind, role, account } = callerOf(request);
      return {
        user: {
          ...(account !== undefined && namesOf(account)),
          name,
          kind,
          isAPI: kind === "token",
          id: account?.id ?? null,
        },
        role,
        permissions: role === "admin" ? [{ permission: "ADMIN" }] : [],
        feedback: [],
        splash: {},
      };
    },
  );
}
