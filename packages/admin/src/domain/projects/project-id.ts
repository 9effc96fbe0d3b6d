import { isName } from "flags-engine";
import { badData } from "../../errors.ts";
import { NAME_RULE } from "../../http/names.ts";

/** Ids that conflict with other paths below `/projects/`, and `*`, which stands for all projects in a token. */
const RESERVED_IDS = new Set(["archive", "revive", "validate", "*"]);

const MAX_SLUG_LENGTH = 90;

/**
 * @throws {ApiError} if the id cannot be used in paths
 */
export function checkProjectId(id: string): void {
  if (!isName(id)) throw badData("/body/id", NAME_RULE);
  if (RESERVED_IDS.has(id)) throw badData("/body/id", "is reserved: choose another id");
}

/** Derives an id from a name: lower-case letters and digits, joined by hyphens. */
export function toSlug(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, MAX_SLUG_LENGTH);
  return slug.replaceAll(/^-+|-+$/g, "") || "project";
}

/** Returns the slug, or the slug with the first available number if it is taken or reserved. */
export function findAvailableId(slug: string, isTaken: (id: string) => boolean): string {
  const isAvailable = (id: string): boolean => !isTaken(id) && !RESERVED_IDS.has(id);
  if (isAvailable(slug)) return slug;
  for (let number = 1; ; number++) {
    const id = `${slug}-${number}`;
    if (isAvailable(id)) return id;
  }
}
