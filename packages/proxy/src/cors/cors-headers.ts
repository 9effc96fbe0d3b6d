import type { CorsConfig } from "../config/config.ts";

/** Header names and values, one after the other, as `writeHead()` takes them. */
export type RawHeaders = readonly string[];

/**
 * The CORS headers of an answer that is no preflight, for the routes that pass by the plugin. They
 * are the ones that the plugin writes.
 */
export function createCorsHeaders({
  origin,
  credentials,
  exposedHeaders,
}: CorsConfig): (requestOrigin: string | undefined) => RawHeaders {
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
