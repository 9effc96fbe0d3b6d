import type { IncomingHttpHeaders } from "node:http";

export interface KeyExtractor {
  /** Where the key belongs, such as "in the `authorization` header". */
  readonly place: string;
  /** Whether a prefix is allowed; completes "send it in the `authorization` header, …". */
  readonly form: string;
  /** Names of the headers that can contain the key, in lower case. */
  readonly headers: readonly string[];
  /** Returns the strings that may be the key, in the order in which to try them. */
  candidates(headers: IncomingHttpHeaders): readonly string[];
}

export function inHeader(name: string): KeyExtractor {
  const header = name.toLowerCase();
  return {
    place: `in the \`${header}\` header`,
    form: "without a prefix such as `Bearer `",
    headers: [header],
    candidates: ({ [header]: value }) => (typeof value === "string" ? [value] : []),
  };
}

const BEARER = /^Bearer +/i;

/** Expects the key in any of these headers, bare or as a bearer token, as OpenFeature clients send it. */
export function inAnyHeader(names: readonly string[]): KeyExtractor {
  const headers = [...new Set(names.map((name) => name.toLowerCase()))];
  const list = headers.map((name) => `\`${name}\``).join(" or ");
  return {
    place: `in the ${list} header`,
    form: "with or without the `Bearer ` prefix",
    headers,
    candidates: (sent) =>
      headers.flatMap((name) => {
        const value = sent[name];
        // The bare key first: with the prefix, it would count as a malformed token from the upstream.
        return typeof value === "string" ? [value.replace(BEARER, ""), value] : [];
      }),
  };
}
