const MAX_LENGTH = 1000;

/**
 * Returns the path to which a user returns after signing in; `/` for anything that is not a path of this
 * service. Otherwise, a link to this service could lead a user who trusts it to another one.
 */
export function toLocalPath(text: unknown): string {
  // NOTE: browsers read `//host` and `/\host` as another host, and ignore tabs and line breaks.
  if (typeof text !== "string" || text.length > MAX_LENGTH) return "/";
  return /^\/(?![/\\])[\x21-\x5B\x5D-\x7E]*$/.test(text) ? text : "/";
}
