import { InvalidValue, isRecord, type Kind } from "flags-server-kit/command-line";
import { headersKind } from "./kinds.ts";

type Headers = Readonly<Record<string, string>>;

/** Headers that the connection or the upstream protocol determines. */
const RESERVED: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "if-none-match",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Headers for requests to the upstream. Text is a list of `Name: value`, one per line or separated by
 * commas; with several lines, a value can contain commas.
 */
export const upstreamHeadersKind: Kind<Headers> = {
  allowed: "an object of header names and values, or a list of strings such as Name: value",
  allowedText: "a list of headers such as Name: value, separated by commas or line breaks",
  fromText: (text) => parseList(splitList(text)),
  fromValue: (value) => {
    if (typeof value === "string") return parseList(splitList(value));
    if (Array.isArray(value)) return parseList(value);
    return isRecord(value) ? check(value) : new InvalidValue();
  },
};

function splitList(text: string): readonly string[] {
  return text.split(/[\r\n]/.test(text) ? /[\r\n]+/ : ",");
}

function parseList(entries: readonly unknown[]): Headers | InvalidValue {
  const headers: Record<string, string> = {};
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== "string") return new InvalidValue();
    if (entry.trim() === "") continue;
    const colon = entry.indexOf(":");
    // NOTE: the text is not shown, because it may be a secret.
    if (colon < 1) return new InvalidValue(`entry ${index + 1} is not of the form Name: value`);
    const name = entry.slice(0, colon).trim();
    if (Object.hasOwn(headers, name))
      return new InvalidValue(`${JSON.stringify(name)} is repeated`);
    Object.defineProperty(headers, name, {
      value: entry.slice(colon + 1).trim(),
      enumerable: true,
    });
  }
  return check(headers);
}

function check(value: unknown): Headers | InvalidValue {
  const headers = headersKind.fromValue(value);
  if (headers instanceof InvalidValue) return headers;
  const names = Object.keys(headers);
  const reserved = names.find((name) => RESERVED.has(name.toLowerCase()));
  if (reserved !== undefined) {
    return new InvalidValue(`${JSON.stringify(reserved)} is set by the proxy itself`);
  }
  const lowerCase = new Set(names.map((name) => name.toLowerCase()));
  return lowerCase.size === names.length
    ? headers
    : new InvalidValue("a name is repeated in upper and lower case");
}
