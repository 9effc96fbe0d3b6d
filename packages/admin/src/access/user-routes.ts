import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { operation } from "./operation.ts";
import { callerOf } from "./request-identity.ts";
import { ROLES, type Role } from "./role.ts";

const UserResponse = Type.Object(
  {
    user: Type.Object(
      {
        name: Type.String(),
        kind: Type.String({ description: "`token` or `openid`" }),
        isAPI: Type.Boolean({ description: "Whether the user is the owner of a token" }),
      },
      { title: "userSchema" },
    ),
    role: Type.Unsafe<Role>({ type: "string", enum: ROLES }),
    permissions: Type.Array(
      Type.Object({ permission: Type.String() }, { title: "userPermissionSchema" }),
      { description: "`ADMIN` for admins, and absent for other roles: read `role`" },
    ),
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
      const { name, kind, role } = callerOf(request);
      return {
        user: { name, kind, isAPI: kind === "token" },
        role,
        permissions: role === "admin" ? [{ permission: "ADMIN" }] : [],
      };
    },
  );
}
