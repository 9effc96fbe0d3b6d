import type { Tag } from "../api/types.ts";

/** Returns a tag as one text, for example "team:checkout". */
export function toTagText({ type, value }: Pick<Tag, "type" | "value">): string {
  return `${type}:${value}`;
}
