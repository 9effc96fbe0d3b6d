import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { ApiError, unknownProject } from "../errors.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { findNamed } from "./named-in-path.ts";
import { type Caller, callerOf } from "./request-identity.ts";
import { includesLevel, type Level } from "./role.ts";

declare module "fastify" {
  interface FastifyContextConfig extends Place {
    /** What a route of the admin API requires. */
    role?: Level;
  }
}

/** Where an operation without the id of a project in its path takes effect. */
interface Place {
  /** A property of the body with the id of a project, if it has one. */
  readonly projectInBody?: ProjectInBody;
  /**
   * What the path names need not exist. So the operation itself has to treat what belongs to a hidden project as if it
   * did not.
   */
  readonly findsNothing?: boolean;
}

interface ProjectInBody {
  readonly property: string;
  /** What the absence of the property means. */
  readonly absent: "everywhere" | "unchanged";
  /** Creates the error for an unknown project. @default `unknownProject` */
  readonly unknown?: (id: string) => ApiError;
}

/** The schemas of the parts of a request. Their types are the types that the handler of the route receives. */
interface RequestSchemas {
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
}

/** An operation of the admin API. */
interface Operation extends Place, RequestSchemas {
  /**
   * Its id in the OpenAPI document. Generated clients derive function names from ids, so they must not change. They equal
   * the ids of the upstream API, where it has the operation.
   */
  readonly id: string;
  /**
   * What it requires: in the project that it names, or to which the flag, segment or context field in its path belongs, if
   * there is one, otherwise in the whole service. Viewers read, and call
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
  const { id, role, tag, empty, returns, creates, alsoFailsWith = [], ...others } = described;
  const { projectInBody, findsNothing, ...rest } = others;
  const errors = [...alsoFailsWith, ...ALWAYS, ...(rest.body === undefined ? [] : WITH_BODY)];
  return {
    config: {
      role,
      ...(projectInBody !== undefined && { projectInBody }),
      ...(findsNothing !== undefined && { findsNothing }),
    },
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
 * Makes a scope reject callers whose role does not include what the route requires. A project that does not exist for the
 * caller, and what belongs to it, is a 404. Call it after the hook that finds the caller, and before adding routes.
 *
 * @throws {TypeError} if a route that is added later has no role, or requires an owner but names no project
 */
export function requireRoles(scope: FastifyInstance, storage: Pick<Storage, "db">): void {
  scope.addHook("onRoute", ({ method, url, config }) => {
    const name = `${[method].flat().join()} ${url}`;
    if (config?.role === undefined) {
      throw new TypeError(`${name} has no role: describe it with operation()`);
    }
    if (config.role === "owner" && !/\/:(projectId|feature)\b/.test(url)) {
      throw new TypeError(`${name} requires an owner, but names neither a project nor a flag`);
    }
  });
  const unknown = new WeakMap<FastifyRequest, ApiError>();
  scope.addHook("onRequest", async (request) => {
    const { role: required = "admin", projectInBody } = request.routeOptions.config;
    const caller = callerOf(request);
    const { projects } = caller;
    const params = request.params as Readonly<Record<string, string>>;
    const named = projects.isUniform ? undefined : await findNamed(storage.db, params);
    if (named === undefined) {
      requireIncluded(projectInBody === undefined ? caller.role : projects.highest, required);
    } else if (named.project !== undefined && projects.sees(named.project)) {
      requireLevel(caller, required, named.project);
    } else {
      // What is hidden must not differ from what does not exist, not even in the order of the checks.
      unknown.set(request, named.unknown);
    }
  });
  scope.addHook("preHandler", async (request) => {
    const { role: required = "admin", projectInBody, findsNothing } = request.routeOptions.config;
    const error = unknown.get(request);
    if (error !== undefined && findsNothing !== true) throw error;
    if (projectInBody !== undefined) requireInBody(request, required, projectInBody);
  });
}

function requireInBody(
  request: FastifyRequest,
  required: Level,
  { property, absent, unknown = unknownProject }: ProjectInBody,
): void {
  const { [property]: value } = request.body as Readonly<Record<string, unknown>>;
  if (value === undefined && absent === "unchanged") return;
  const project = typeof value === "string" && value !== "" ? value : null;
  requireLevel(callerOf(request), required, project, unknown(project ?? ""));
}

/**
 * Checks that a caller may do something, in a project, or in the whole service (null).
 *
 * @param unknown the error if the project does not exist for the caller
 * @throws {ApiError} 403 if not
 */
function requireLevel(
  caller: Caller,
  required: Level,
  project: string | null,
  unknown: ApiError = unknownProject(project ?? ""),
): void {
  const level = project === null ? caller.role : caller.projects.levelIn(project);
  if (level === undefined) throw unknown;
  requireIncluded(level, required, project !== null);
}

function requireIncluded(level: Level, required: Level, isInProject = false): void {
  if (includesLevel(level, required)) return;
  const place = isInProject ? " in the project" : "";
  const contact = isInProject ? "an owner of the project, or an admin" : "an admin";
  throw new ApiError(
    "PermissionError",
    `This requires the role ${required}${place}, but you have the role ${level}: contact ${contact}`,
  );
}
