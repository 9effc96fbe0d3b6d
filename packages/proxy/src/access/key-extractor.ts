import type { IncomingHttpHeaders } from "node:http";

/** Where requests carry their key. */
export interface KeyExtractor {
  /** Completes "send it …". */
  readonly advice: string;
  /** Names of the headers that are looked at, in lower case. */
  readonly headers: readonly string[];
  /** The texts that may be the key, in the order in which they are tried. */
  candidates(headers: IncomingHttpHeaders): readonly string[];
}

/** One header holds the key and nothing else. */
export function inHeader(name: string): KeyExtractor {
  const header = name.toLowerCase();
  return {
    advice: `in the \`${header}\` header`,
    headers: [header],
    candidates: ({ [header]: value }) => (typeof value === "string" ? [value] : []),
  };
}

const BEARER = /^Bearer +/i;

/** As clients of OpenFeature send it: bare or as a bearer token, in any of these headers. */
export function inAnyHeader(names: readonly string[]): KeyExtractor {
  const headers = [...new Set(names.map((name) => name.toLowerCase()))];
  const list = headers.map((name) => `\`${name}\``).join(" or ");
  return {
    advice: `bare or after \`Bearer \`, in the ${list} header`,
    headers,
    candidates: (sent) =>
      headers.flatMap((name) => {
        const value = sent[name];
        return typeof value === "string" ? [value, value.replace(BEARER, "")] : [];
      }),
  };
}
