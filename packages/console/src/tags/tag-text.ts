import type { Tag } from "../api/types.ts";

/** Returns a tag as one text, for example "team:checkout". */
export function toTagText({ type, value }: Pick<Tag, "type" | "value">): string {
  return `${type}:${value}`;
}

/** Limits of the service, for the names of types too. */
export const MIN_TAG_LENGTH = 2;
export const MAX_TAG_LENGTH = 50;

/** Returns what is wrong with the value of a tag; undefined if it is valid. */
export function describeTagProblem(value: string): string | undefined {
  const { length } = value.trim();
  if (value === "" || (length >= MIN_TAG_LENGTH && length <= MAX_TAG_LENGTH)) return undefined;
  return `A tag has ${MIN_TAG_LENGTH} to ${MAX_TAG_LENGTH} characters.`;
}
