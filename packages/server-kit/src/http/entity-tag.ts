/**
 * Whether an `If-None-Match` header matches an entity tag. Tags are compared weakly, so that a tag
 * matches after a gateway has made it weak or removed its quotes. Lists and `*` are supported.
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, entityTag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch === "") return false;
  if (ifNoneMatch === entityTag || ifNoneMatch.trim() === "*") return true;

  const wanted = opaquePart(entityTag);
  return ifNoneMatch.split(",").some((candidate) => opaquePart(candidate) === wanted);
}

/** NOTE: splitting at commas is safe as long as our own tags contain none. */
function opaquePart(entityTag: string): string {
  const tag = entityTag.trim().replace(/^W\//i, "");
  return tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;
}
