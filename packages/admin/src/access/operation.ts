import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import { ApiError } from "../errors.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import { callerOf } from "./request-identity.ts";
import { includesRole, type Role } from "./role.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The role that a route of the admin API requires. */
    role?: Role;
  }
}

/** The schemas of the parts of a request. Their types are the types that the handler of the route receives. */
interface RequestSchemas {
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
}

/** An operation of the admin API. */
interface Operation extends RequestSchemas {
  /**
   * Its id in the OpenAPI document. Generated clients derive function names from ids, so they must not change. They equal
   * the ids of the upstream API, where it has the operation.
   */
  readonly id: string;
  /**
   * The role that it requires. Viewers read, and call operations that change nothing. Editors change flags and their parts.
   * Operations that affect access, other projects or data that cannot be restored are for admins.
   */
  readonly role: Role;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Status of a success without a body; omit it if responses have a body. */
  readonly empty?: 200 | 202 | 204;
  /** Schema of the body of a success with status 200. */
  readonly returns?: TSchema;
  /** Schema of the body of a success with status 201. */
  readonly creates?: TSchema;
  readonly alsoFailsWith?: readonly (400 | 404 | 409 | 412)[];
}

// Errors of every route, and additional errors of routes with a body.
const ALWAYS = [401, 403, 503] as const;
const WITH_BODY = [400, 413, 415] as const;

/** No other members than those of an operation, so that a misspelt one is an error. */
type NoOthers<Described> = Readonly<Record<Exclude<keyof Described, keyof Operation>, never>>;

/** Returns the options of the route of an operation of the admin API. */
export function operation<Described extends Operation>(described: Described & NoOthers<Described>) {
  const { id, role, tag, empty, returns, creates, alsoFailsWith = [], ...rest } = described;
  const errors = [...alsoFailsWith, ...ALWAYS, ...(rest.body === undefined ? [] : WITH_BODY)];
  return {
    config: { role },
    schema: {
      ...rest,
      tags: [tag],
      operationId: id,
      response: {
        ...(empty !== undefined && { [empty]: NoBody }),
        ...(returns !== undefined && { 200: returns }),
        ...(creates !== undefined && { 201: creates }),
        ...errorResponses(...errors),
      },
    },
  };
}

/**
 * Makes a scope reject callers whose role does not include the role that the route requires. Call it after the hook that
 * finds the caller, and before adding routes.
 *
 * @throws {TypeError} if a route that is added later has no role
 */
export function requireRoles(scope: FastifyInstance): void {
  scope.addHook("onRoute", ({ method, url, config }) => {
    if (config?.role === undefined) {
      throw new TypeError(
        `${[method].flat().join()} ${url} has no role: describe it with operation()`,
      );
    }
  });
  scope.addHook("onRequest", async (request) => {
    const { role: required = "admin" } = request.routeOptions.config;
    const { role } = callerOf(request);
    if (includesRole(role, required)) return;
    throw new ApiError(
      "PermissionError",
      `This requires the role ${required}, but you have the role ${role}: contact an admin`,
    );
  });
}
