/** Request headers by lower-case name. */
export type HeaderMap = Readonly<Record<string, string>>;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// RFC 9110 §5.5, without the obsolete bytes above 0x7f, which proxies treat in different ways.
const VALUE = /^[\t\x20-\x7e]*$/;

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

export function isHeaderValue(value: unknown): value is string {
  return typeof value === "string" && VALUE.test(value);
}

/** Makes any text fit for a header: what is not printable ASCII is percent-encoded as UTF-8. */
export function toHeaderValue(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, percentEncode).trim();
}

/** Lower-cases the names; throws a `TypeError` that names a bad header but never shows its value. */
export function toHeaderMap(headers: Readonly<Record<string, unknown>>): HeaderMap {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!isHeaderName(name)) throw new TypeError("A header has a name that HTTP does not allow");
      if (!isHeaderValue(value))
        throw new TypeError(`Header ${name} has a value that HTTP does not allow`);
      return [name.toLowerCase(), value];
    }),
  );
}

function percentEncode(character: string): string {
  const hex = Buffer.from(character, "utf8").toString("hex").toUpperCase();
  return hex.replaceAll(/../g, "%$&");
}
