/** The messages of schema validators that are not plain English, and what to say instead. */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^must be >= /, "must be at least "],
  [/^must be > /, "must be greater than "],
  [/^must be <= /, "must be at most "],
  [/^must be < /, "must be less than "],
  [/^must (?:NOT|not) have more than /, "must have at most "],
  [/^must (?:NOT|not) have fewer than /, "must have at least "],
  [/^must match pattern "?\^\[0-9\]\+\$"?$/, "must consist of digits"],
];

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "a boolean",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

/** Rewords the message of a schema validator: "must be > 0" becomes "must be greater than 0". */
export function rewordSchemaMessage(message: string): string {
  return rewordTypes(message) ?? rewordLimits(message);
}

/** Rewords "must be string,null" (Ajv) and "must be either string or null" (TypeBox). */
function rewordTypes(message: string): string | undefined {
  const [, types] = /^must be (?:either )?(.+)$/.exec(message) ?? [];
  const names = types?.split(/,| or /).map((type) => TYPE_NAMES[type]);
  if (names === undefined || names.includes(undefined)) return undefined;
  const last = names.pop();
  return `must be ${names.length === 0 ? "" : `${names.join(", ")} or `}${last}`;
}

function rewordLimits(message: string): string {
  const match = REPLACEMENTS.find(([pattern]) => pattern.test(message));
  if (match === undefined) return message;
  const reworded = message.replace(...match);
  return / 1 \w+s$/.test(reworded) ? reworded.slice(0, -1) : reworded;
}
