import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import { ApiError, unknownProject } from "../errors.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import { type Caller, callerOf } from "./request-identity.ts";
import { includesLevel, type Level } from "./role.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What a route of the admin API requires. */
    role?: Level;
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
   * What it requires: in the project in its path, if there is one, otherwise in the whole service. Viewers read, and call
   * operations that change nothing. Editors, and members of the project, change flags and their parts. Owners change the
   * project, and who may do what in it. Operations that affect other projects or data that cannot be restored are for admins.
   */
  readonly role: Level;
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

/** The parameter of paths with the id of a project. */
const PROJECT = "projectId";

/**
 * Makes a scope reject callers whose role does not include what the route requires. A project that does not exist for the
 * caller is a 404. Call it after the hook that finds the caller, and before adding routes.
 *
 * @throws {TypeError} if a route that is added later has no role, or requires an owner but names no project
 */
export function requireRoles(scope: FastifyInstance): void {
  scope.addHook("onRoute", ({ method, url, config }) => {
    const name = `${[method].flat().join()} ${url}`;
    if (config?.role === undefined) {
      throw new TypeError(`${name} has no role: describe it with operation()`);
    }
    if (config.role === "owner" && !url.includes(`/:${PROJECT}`)) {
      throw new TypeError(`${name} requires an owner, but names no project in its path`);
    }
  });
  scope.addHook("onRequest", async (request) => {
    const { role: required = "admin" } = request.routeOptions.config;
    const { [PROJECT]: project } = request.params as { readonly [PROJECT]?: string };
    requireLevel(callerOf(request), required, project);
  });
}

/**
 * Checks that a caller may do something, in a project or in the whole service.
 *
 * @throws {ApiError} 403 if not; 404 if the project does not exist for the caller
 */
export function requireLevel(caller: Caller, required: Level, project?: string): void {
  const level = project === undefined ? caller.role : caller.projects.levelIn(project);
  if (level === undefined) throw unknownProject(project ?? "");
  if (includesLevel(level, required)) return;
  const place = project === undefined ? "" : " in the project";
  const contact = project === undefined ? "an admin" : "an owner of the project, or an admin";
  throw new ApiError(
    "PermissionError",
    `This requires the role ${required}${place}, but you have the role ${level}: contact ${contact}`,
  );
}
