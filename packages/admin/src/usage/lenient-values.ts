import { toReportedName } from "flags-engine";
import { Type } from "typebox";

// NOTE: SDKs differ in how they encode their reports, and an SDK whose report is rejected may never
// send another one. So reports are parsed more leniently than other bodies.

/** Text, or another scalar that some SDK sends in its place. */
export const LenientTextSchema = Type.Unsafe<string | number | boolean | null>({
  type: ["string", "number", "boolean", "null"],
});

/** A date as a string, or in milliseconds since 1970. */
export const LenientTimestampSchema = Type.Unsafe<string | number | null>({
  type: ["string", "number", "null"],
});

/** A count as a number or a string. */
export const LenientCountSchema = Type.Unsafe<string | number | null>({
  type: ["number", "string", "null"],
  minimum: 0,
  pattern: "^[0-9]{1,15}$",
});

/** A record with any keys. The records of TypeBox do not validate values of keys with line breaks. */
export function recordOf<Value extends Type.TSchema>(value: Value, maxProperties: number) {
  return Type.Unsafe<Readonly<Record<string, Type.Static<Value>>>>({
    type: "object",
    additionalProperties: value,
    maxProperties,
  });
}

export type LenientText = Type.Static<typeof LenientTextSchema>;
export type LenientTimestamp = Type.Static<typeof LenientTimestampSchema>;
export type LenientCount = Type.Static<typeof LenientCountSchema>;

/** Converts a value to text that the database can store. A missing value becomes the empty text. */
export function readText(sent: LenientText | undefined): string {
  return toReportedName(String(sent ?? ""));
}

/** As large as the sum of a million reports of clients, in which a proxy limits each count to 10^9. */
const MAX_COUNT = 1e15;

/** Converts a value to an integer from 0 to 10^15. A missing value becomes 0. */
export function readCount(sent: LenientCount | undefined): number {
  return Math.min(Math.trunc(Number(sent ?? 0)), MAX_COUNT);
}
