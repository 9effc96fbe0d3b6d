import { createTextKind, InvalidValue, type Kind } from "./kind.ts";

type KeyValues = Readonly<Record<string, string>>;

/** The name of a header or an attribute. */
const NAME = /^[\w.!#$%&'*+^`|~/-]+$/;
const PRINTABLE = /^[\x20-\x7E]*$/;

/** Names and values as OpenTelemetry writes them in variables: `name=value,other=value`, percent-encoded. */
export const keyValuesKind: Kind<KeyValues> = createTextKind(
  "a list such as name=value, separated by commas and percent-encoded",
  (text) => {
    const entries: [name: string, value: string][] = [];
    for (const [index, entry] of text.split(",").entries()) {
      if (entry.trim() === "") continue;
      const pair = parsePair(entry);
      // NOTE: the text is not shown, because it may be a secret.
      if (pair === undefined) {
        return new InvalidValue(`entry ${index + 1} is not of the form name=value`);
      }
      entries.push(pair);
    }
    return Object.fromEntries(entries);
  },
);

function parsePair(text: string): [name: string, value: string] | undefined {
  const equals = text.indexOf("=");
  try {
    const name = decodeURIComponent(text.slice(0, Math.max(0, equals)).trim());
    const value = decodeURIComponent(text.slice(equals + 1).trim());
    return NAME.test(name) && PRINTABLE.test(value) ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the strings that logs must not contain: values, and what follows the scheme of credentials. */
export function secretsInKeyValues(values: KeyValues): readonly string[] {
  return Object.values(values).flatMap((value) => {
    const credentials = /^\w+ +(.+)$/.exec(value)?.[1];
    return credentials === undefined ? [value] : [value, credentials];
  });
}
