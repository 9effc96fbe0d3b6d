import { createListKind, createTextKind, createValueKind, Flaw, type Kind } from "flags-service";

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What every client can send and every server reads alike: other bytes have no agreed meaning. */
const HEADER_VALUE = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/;

/** The name of a header, in lower case. */
export const headerNameKind: Kind<string> = createTextKind("the name of an HTTP header", (text) =>
  TOKEN.test(text) ? text.toLowerCase() : new Flaw(),
);

/** Text that can be sent as the value of a header. */
export const headerValueKind: Kind<string> = createTextKind(
  "printable ASCII characters, as it is sent in an HTTP header",
  (text) => (HEADER_VALUE.test(text) ? text : new Flaw()),
);

const keyRules = {
  of: "keys of printable ASCII characters",
  secret: true,
  parseEntry: (text: string) =>
    HEADER_VALUE.test(text) ? text : new Flaw("has a character that cannot be sent in a header"),
};

/** Keys that come in a header. */
export const keysKind: Kind<readonly string[]> = createListKind({ ...keyRules, atLeastOne: true });

/** The same where there may be none. */
export const tokensKind: Kind<readonly string[]> = createListKind(keyRules);

/** Names of headers. */
export const headerNamesKind: Kind<readonly string[]> = createListKind({
  of: "names of HTTP headers",
  parseEntry: (text) => (TOKEN.test(text) ? text : new Flaw("is not the name of a header")),
});

/** Names of methods, in upper case. */
export const methodsKind: Kind<readonly string[]> = createListKind({
  of: "HTTP methods",
  atLeastOne: true,
  parseEntry: (text) => (TOKEN.test(text) ? text.toUpperCase() : new Flaw("is not a method")),
});

/** Names and values of headers. */
export const headersKind: Kind<Readonly<Record<string, string>>> = createValueKind(
  "an object of header names and values",
  (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return new Flaw();
    for (const [name, text] of Object.entries(value)) {
      if (!TOKEN.test(name)) return new Flaw(`${JSON.stringify(name)} is not the name of a header`);
      if (typeof text !== "string" || !HEADER_VALUE.test(text)) {
        return new Flaw(`the value of ${JSON.stringify(name)} cannot be sent in a header`);
      }
    }
    return { ...(value as Record<string, string>) };
  },
);
