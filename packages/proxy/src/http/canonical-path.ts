/** The path of a URL, however many slashes a client put where one belongs. */
export function canonicalPath(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  return withoutTrailingSlash(path.replaceAll(/\/{2,}/g, "/"));
}

/** The root stays what it is. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
