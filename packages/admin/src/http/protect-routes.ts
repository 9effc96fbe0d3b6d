import type { FastifyContextConfig, FastifyInstance } from "fastify";
import type { HostCheck } from "flags-server-kit/http";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether requests must name this server in `Host`. */
    checksHost?: boolean;
    /**
     * How the fixed parts of the path must be written. `exact`: as in the route. `lenient`: slashes can be repeated, and
     * one can follow. Undefined: in any way that the router accepts, even percent-encoded.
     */
    pathForm?: "exact" | "lenient";
  }
}

interface RouteProtection {
  readonly isOwnHost: HostCheck;
  /** What applies to routes that do not say. */
  readonly defaults?: Pick<FastifyContextConfig, "checksHost" | "pathForm">;
  readonly misdirected: () => Error;
  readonly unknownPath: () => Error;
}

/**
 * Rejects requests that name another host, and paths that the router recognises but a gateway in front of it, which is
 * to block them, may not: `//internal-backstage/metrics`, for example. The `config` of a route says what it accepts.
 */
export function protectRoutes(
  app: FastifyInstance,
  { isOwnHost, defaults, misdirected, unknownPath }: RouteProtection,
): void {
  const patterns = new Map<string, RegExp>();
  const patternOf = (route: string, form: "exact" | "lenient"): RegExp => {
    const pattern = patterns.get(route) ?? toPathPattern(route, form);
    patterns.set(route, pattern);
    return pattern;
  };
  app.addHook("onRequest", (request, _reply, done) => {
    const { url: route = "", config } = request.routeOptions;
    const { checksHost = defaults?.checksHost, pathForm = defaults?.pathForm } = config;
    if (request.is404) done();
    else if (pathForm !== undefined && !patternOf(route, pathForm).test(pathOf(request.url))) {
      done(unknownPath());
    } else if (checksHost === true && !isOwnHost(request.raw)) done(misdirected());
    else done();
  });
}

/** Sets the `config` of the routes of a scope, unless they set it themselves. Call it before adding routes. */
export function configureRoutes(scope: FastifyInstance, config: FastifyContextConfig): void {
  scope.addHook("onRoute", (route) => {
    route.config = { ...config, ...route.config };
  });
}

/** Returns a regular expression for the paths of a route. */
function toPathPattern(route: string, form: "exact" | "lenient"): RegExp {
  const source = route
    .replace(/(?<=.)\/$/, "")
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/:[^/]+/g, "[^/]+")
    .replace("*", ".*");
  const isExact = form === "exact";
  return new RegExp(isExact ? `^${source}$` : `^${source.replaceAll(/\/(?!\])/g, "/+")}/*$`);
}

/** The path of a request target, also of one in absolute form. */
function pathOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, "");
}
