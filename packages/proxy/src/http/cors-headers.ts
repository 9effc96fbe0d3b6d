import type { CorsConfig, CorsOrigin } from "../config/config.ts";

/** Header names and values, one after the other, as `writeHead()` takes them. */
export type RawHeaders = readonly string[];

/** An origin setting whose headers can be prepared in advance. Any other one is up to the plugin. */
type FixedOrigin = "*" | readonly string[];

/** Whether the CORS headers can be prepared in advance, so that requests can take the fast path. */
export function hasFixedOrigin(cors: CorsConfig): cors is CorsConfig & { origin: FixedOrigin } {
  return isFixed(cors.origin);
}

function isFixed(origin: CorsOrigin): origin is FixedOrigin {
  if (origin === "*") return true;
  return Array.isArray(origin) && origin.every((entry) => typeof entry === "string");
}

/**
 * The CORS headers of a response other than to a preflight, for requests that bypass the plugin. They
 * equal those of the plugin.
 *
 * @throws {TypeError} when the origin is not a fixed one, see `hasFixedOrigin()`
 */
export function createCorsHeaders({
  origin,
  credentials,
  exposedHeaders,
}: CorsConfig): (requestOrigin: string | undefined) => RawHeaders {
  if (!isFixed(origin)) throw new TypeError("The CORS headers depend on each request");
  const always = [
    ...(credentials ? ["access-control-allow-credentials", "true"] : []),
    "access-control-expose-headers",
    exposedHeaders.join(", "),
  ];
  if (origin === "*") {
    const forEverybody = ["access-control-allow-origin", "*", ...always];
    return () => forEverybody;
  }
  const forOrigin = new Map(
    origin.map((name) => [name, ["access-control-allow-origin", name, ...always]]),
  );
  return (requestOrigin = "") => forOrigin.get(requestOrigin) ?? always;
}
