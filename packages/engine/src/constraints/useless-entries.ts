/** What entries do that are no addresses, in a list of addresses and ranges. */
export const NO_ADDRESS = "which no address matches: an entry must be an IP address or range";

const MAX_NAMED = 3;

const MAX_LENGTH = 100;

/** Returns `contains "a", "b" and 2 more, which …` for the entries that a rule does not accept; undefined if there are none. */
export function describeUseless(
  entries: readonly string[],
  accepts: (entry: string) => boolean,
  effect: string,
): string | undefined {
  const useless = entries.filter((entry) => !accepts(entry));
  if (useless.length === 0) return undefined;
  const named = useless.slice(0, MAX_NAMED).map((entry) => JSON.stringify(shorten(entry)));
  const further = useless.length - named.length;
  return `contains ${named.join(", ")}${further > 0 ? ` and ${further} more` : ""}, ${effect}`;
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
