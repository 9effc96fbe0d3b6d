import {
  createListKind,
  createTextKind,
  createValueKind,
  InvalidValue,
  headerValueKind,
  type Kind,
} from "flags-server-kit";

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The name of a header, in lower case. */
export const headerNameKind: Kind<string> = createTextKind("the name of an HTTP header", (text) =>
  TOKEN.test(text) ? text.toLowerCase() : new InvalidValue(),
);

/** Names of headers. */
export const headerNamesKind: Kind<readonly string[]> = createListKind({
  of: "names of HTTP headers",
  parseEntry: (text) => (TOKEN.test(text) ? text : new InvalidValue("is not the name of a header")),
});

/** Names of methods, in upper case. */
export const methodsKind: Kind<readonly string[]> = createListKind({
  of: "HTTP methods",
  atLeastOne: true,
  parseEntry: (text) =>
    TOKEN.test(text) ? text.toUpperCase() : new InvalidValue("is not a method"),
});

/** Names and values of headers. */
export const headersKind: Kind<Readonly<Record<string, string>>> = createValueKind(
  "an object of header names and values",
  (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return new InvalidValue();
    for (const [name, text] of Object.entries(value)) {
      if (!TOKEN.test(name))
        return new InvalidValue(`${JSON.stringify(name)} is not the name of a header`);
      if (typeof text !== "string" || headerValueKind.fromText(text) instanceof InvalidValue) {
        return new InvalidValue(`the value of ${JSON.stringify(name)} cannot be sent in a header`);
      }
    }
    return { ...(value as Record<string, string>) };
  },
);
