const MAX_LENGTH = 90;

/** Suggests an id for a project: the lower-case letters and digits of its name, joined by hyphens. */
export function toProjectId(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, "");
}
