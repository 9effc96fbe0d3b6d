/** Returns the path of a URL, without repeated slashes and without a trailing slash. */
export function canonicalPath(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  return withoutTrailingSlash(path.replaceAll(/\/{2,}/g, "/"));
}

/** Returns the path without a trailing slash. The root path is not changed. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
