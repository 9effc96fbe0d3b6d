import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors.ts";
import { OPERATION_IDS } from "../http/operation-ids.ts";
import { OPERATION_ROLES } from "../http/operation-roles.ts";
import { includesRole, type Role } from "../role.ts";
import { callerOf } from "./request-identity.ts";

/**
 * Makes a scope reject callers whose role does not include that of the operation. Call it after the hook that
 * finds the caller, and before adding routes.
 *
 * @throws {TypeError} if a route that is added later has no role
 */
export function requireRoles(scope: FastifyInstance): void {
  scope.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) requiredRole(each, url);
  });
  scope.addHook("onRequest", async (request) => {
    const required = requiredRole(request.method, request.routeOptions.url ?? "");
    const { role } = callerOf(request);
    if (includesRole(role, required)) return;
    throw new ApiError(
      "PermissionError",
      `This requires the role ${required}, and you have the role ${role}`,
    );
  });
}

function requiredRole(method: string, url: string): Role {
  // Each GET route has a HEAD route.
  const id = OPERATION_IDS[`${method === "HEAD" ? "GET" : method} ${url}`];
  const role = id === undefined ? undefined : OPERATION_ROLES[id];
  if (role === undefined) {
    throw new TypeError(`Add ${method} ${url} to OPERATION_IDS and OPERATION_ROLES`);
  }
  return role;
}
