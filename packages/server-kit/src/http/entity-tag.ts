/**
 * Whether an `If-None-Match` header names this entity tag. Tags are compared weakly, so that one
 * that a gateway weakened or took the quotes from still matches; lists and `*` are understood.
 */
export function isNamedBy(ifNoneMatch: string | undefined, entityTag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch === "") return false;
  if (ifNoneMatch === entityTag || ifNoneMatch.trim() === "*") return true;

  const wanted = opaquePart(entityTag);
  return ifNoneMatch.split(",").some((candidate) => opaquePart(candidate) === wanted);
}

/** NOTE: splitting at commas is safe as long as no tag of ours contains one. */
function opaquePart(entityTag: string): string {
  const tag = entityTag.trim().replace(/^W\//i, "");
  return tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;
}
