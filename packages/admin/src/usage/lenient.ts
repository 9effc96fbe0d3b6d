import { Type } from "typebox";

// NOTE: SDKs differ in how they spell what they report, and one that is refused once may never
// report again. So reports are read with more patience than anything else.

/** Text, or what some SDK sends in its place. */
export const LenientText = Type.Unsafe<string | number | boolean | null>({
  type: ["string", "number", "boolean", "null"],
});

/** A moment as text or in milliseconds since 1970. */
export const LenientMoment = Type.Unsafe<string | number | null>({
  type: ["string", "number", "null"],
});

/** How often something was counted. */
export const LenientCount = Type.Unsafe<string | number | null>({
  type: ["number", "string", "null"],
  minimum: 0,
  pattern: "^[0-9]{1,15}$",
});

/** Further names have values of this kind. TypeBox's own records pass over names with line breaks. */
export function recordOf<Value extends Type.TSchema>(value: Value, maxProperties: number) {
  return Type.Unsafe<Readonly<Record<string, Type.Static<Value>>>>({
    type: "object",
    additionalProperties: value,
    maxProperties,
  });
}

export type SentText = Type.Static<typeof LenientText>;
export type SentMoment = Type.Static<typeof LenientMoment>;
export type SentCount = Type.Static<typeof LenientCount>;

// Names are part of keys in the database, which have to stay short.
const MAX_TEXT_LENGTH = 200;

/** The text that is meant, as the database can keep it: bounded, without NUL and half pairs. */
export function readText(sent: SentText | undefined): string {
  return String(sent ?? "")
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(/[\0\p{Surrogate}]/gu, "\uFFFD");
}

/** Largest count of one report: far more than any application asks, and sums stay exact. */
const MAX_COUNT = 1_000_000_000;

export function readCount(sent: SentCount | undefined): number {
  return Math.min(Math.trunc(Number(sent ?? 0)), MAX_COUNT);
}
