import { HttpError } from "../http/errors.ts";
import type { Route } from "./route.ts";

interface PathRoutes {
  readonly path: string;
  readonly methods: Map<string, Route>;
  /** Whether all of its routes have CORS headers. */
  hasCors: boolean;
}

export interface Match {
  /** The path without repeated slashes and a trailing one. */
  readonly path: string;
  readonly found?: PathRoutes;
  readonly params: Readonly<Record<string, string>>;
  /** Whether the path is written in a way that no route accepts, such as with an encoded letter. */
  readonly isMisspelled?: boolean;
  /** Whether slashes are repeated, or one follows. */
  readonly isLenient?: boolean;
  readonly error?: HttpError;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/** Longer parameters are a 414. */
const MAX_PARAM_LENGTH = 1024;

/** The start of a target in absolute form. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

interface Pattern {
  readonly regex: RegExp;
  readonly names: readonly string[];
  readonly routes: PathRoutes;
}

export class Router {
  readonly #fixed = new Map<string, PathRoutes>();
  readonly #patterns: Pattern[] = [];

  constructor(basePath: string, routes: readonly Route[]) {
    const byPath = new Map<string, PathRoutes>();
    for (const route of routes) {
      const path = withoutTrailingSlash(basePath + route.path);
      const found = byPath.get(path) ?? { path, methods: new Map(), hasCors: true };
      if (!byPath.has(path)) this.#add(found);
      byPath.set(path, found);
      found.methods.set(route.method, route);
      if (route.method === "GET" && route.hasHead !== false) found.methods.set("HEAD", route);
      found.hasCors &&= route.audience.hasCors;
    }
  }

  /** @param url a request target: path and query, or an absolute URL */
  find(url: string): Match {
    const path = pathOf(url);
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return { path, found: fixed, params: NO_PARAMS };
    const canonical = canonicalPath(path);
    const isLenient = canonical !== path;
    const found = this.#fixed.get(canonical);
    if (found !== undefined) return { path: canonical, found, params: NO_PARAMS, isLenient };
    return { ...this.#match(canonical), isLenient };
  }

  #add(routes: PathRoutes): void {
    const { path } = routes;
    const names = [...path.matchAll(/:(\w+)|\*$/g)].map(([text, name]) => name ?? text);
    if (names.length === 0) this.#fixed.set(path, routes);
    else this.#patterns.push({ regex: toRegExp(path), names, routes });
  }

  #match(path: string): Match {
    let error: HttpError | undefined;
    for (const { regex, names, routes: found } of this.#patterns) {
      const [, ...values] = regex.exec(path) ?? [];
      if (values.length === 0) continue;
      const params: Record<string, string> = {};
      for (const [index, name] of names.entries()) {
        const value = tryDecode(values[index] ?? "");
        if (value === undefined) return { path, params, error: invalidPath() };
        if (name !== "*" && value.length > MAX_PARAM_LENGTH) {
          error = new HttpError(414, "A part of the path is too long: shorten it");
        }
        params[name] = value;
      }
      if (error === undefined || names[0] === "*") return { path, found, params };
    }
    if (error !== undefined) return { path, params: NO_PARAMS, error };
    return path.includes("%") ? this.#findMisspelled(path) : { path, params: NO_PARAMS };
  }

  /** Finds the route that a decoded path would have. A gateway in front of the proxy may not recognise it. */
  #findMisspelled(path: string): Match {
    const decoded = tryDecode(path);
    if (decoded === undefined) return { path, params: NO_PARAMS, error: invalidPath() };
    const found = this.#fixed.get(canonicalPath(decoded));
    return { path, params: NO_PARAMS, ...(found && { found, isMisspelled: true }) };
  }
}

function invalidPath(): HttpError {
  return new HttpError(
    400,
    "The path contains invalid percent-encoding: write a literal `%` as `%25`",
  );
}

function toRegExp(path: string): RegExp {
  const source = path
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/:\w+/g, "([^/]+)")
    .replace(/\*$/, "(.+)");
  return new RegExp(`^${source}$`);
}

function pathOf(url: string): string {
  const target = url.startsWith("/") ? url : url.replace(ORIGIN, "");
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

/** Returns a path without repeated slashes and a trailing one. */
export function canonicalPath(path: string): string {
  return withoutTrailingSlash(path.replaceAll(/\/{2,}/g, "/"));
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
