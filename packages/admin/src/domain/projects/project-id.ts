import { badData } from "../../errors.ts";
import { isName, NAME_RULE } from "../../http/names.ts";

/** Words that follow `/projects/` in paths of their own. */
const RESERVED_IDS = new Set(["archive", "revive", "validate"]);

const MAX_SLUG_LENGTH = 90;

/**
 * @throws {ApiError} when paths could not tell the project from something else
 */
export function checkProjectId(id: string): void {
  if (!isName(id)) throw badData("/body/id", NAME_RULE);
  if (RESERVED_IDS.has(id))
    throw badData("/body/id", "is a word with a meaning in paths: choose another");
}

/** An id made of a name: small letters and digits, joined by hyphens. */
export function toSlug(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, MAX_SLUG_LENGTH);
  return slug.replaceAll(/^-+|-+$/g, "") || "project";
}

/** The slug, with a number when it is taken. */
export function freeId(slug: string, isTaken: (id: string) => boolean): string {
  const isFree = (id: string): boolean => !isTaken(id) && !RESERVED_IDS.has(id);
  if (isFree(slug)) return slug;
  for (let number = 1; ; number++) {
    const id = `${slug}-${number}`;
    if (isFree(id)) return id;
  }
}
