import type { TSchema } from "typebox";
import type { Grant } from "../access/grant.ts";
import type { Call, RouteBody } from "./call.ts";
import type { HttpError } from "../http/errors.ts";
import type { Reply } from "../http/reply.ts";

/** Who uses a route, and how strictly its requests are checked. */
export interface Audience {
  /** Whether pages of other origins can read responses, and preflights succeed. */
  readonly hasCors: boolean;
  /** Whether requests must name this proxy in `Host`. */
  readonly checksHost: boolean;
  /** `lenient`: slashes can be repeated, and one can follow. SDKs are careless with slashes. */
  readonly pathForm: "exact" | "lenient";
}

export const FOR_CLIENTS: Audience = { hasCors: true, checksHost: false, pathForm: "lenient" };

export const FOR_SERVERS: Audience = { hasCors: false, checksHost: false, pathForm: "lenient" };

/** Routes for operators. Probes, and routes that require a token, accept any `Host`. */
export const FOR_OPERATORS: Audience = { hasCors: false, checksHost: true, pathForm: "exact" };

/** Routes that a page in the browser of an operator reads with relative URLs. */
export const FOR_PAGES: Audience = { hasCors: true, checksHost: true, pathForm: "lenient" };

interface Description {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly params?: TSchema;
  readonly query?: TSchema;
  /** Schemas of bodies, or descriptions of other content, by status. */
  readonly responses: Readonly<Record<string, object>>;
  readonly isHidden?: boolean;
}

/** An entry of a table of routes: it drives routing, checks and the OpenAPI document. */
export interface Route extends Description {
  readonly method: "GET" | "POST";
  /** The path below the base path. `:name` stands for one segment, `*` at the end for any number. */
  readonly path: string;
  readonly audience: Audience;
  /** Whether a GET also responds to HEAD. @default true */
  readonly hasHead?: boolean;
  /** Whether it responds before the sources are ready. @default false */
  readonly isAlwaysAvailable?: boolean;
  /** Finds the grant of a request; see `createKeyCheck()`. @default no key is required */
  readonly authenticate?: (call: Call) => void | Promise<void>;
  /** Returns why a grant does not allow the request. @default all do */
  readonly check?: (grant: Grant) => HttpError | undefined;
  /** @default the body is not read */
  readonly body?: RouteBody;
  /** @throws {HttpError} */
  handle(call: Call): Reply | Promise<Reply>;
}

/** Returns the route with nothing but an error as its response. */
export function refuse(route: Route, toError: () => HttpError): Route {
  const fail = (): never => {
    throw toError();
  };
  return { ...route, authenticate: fail, handle: fail };
}
