/** The messages of schema validators that are not plain English, and what to say instead. */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^must be >= /, "must be at least "],
  [/^must be > /, "must be greater than "],
  [/^must be <= /, "must be at most "],
  [/^must be < /, "must be less than "],
  [/^must (?:NOT|not) have more than /, "must have at most "],
  [/^must (?:NOT|not) have fewer than /, "must have at least "],
];

/** Rewords the message of a schema validator: "must be > 0" becomes "must be greater than 0". */
export function rewordSchemaMessage(message: string): string {
  const match = REPLACEMENTS.find(([pattern]) => pattern.test(message));
  if (match === undefined) return message;
  const reworded = message.replace(...match);
  return / 1 \w+s$/.test(reworded) ? reworded.slice(0, -1) : reworded;
}
