import type { EventStream } from "flags-server-kit/http";
import { matchesEntityTag } from "flags-server-kit/neutral";
import type { ProxyRequest } from "./request.ts";
import { type ResponseBody, toBinaryString } from "./response-body.ts";

/** Alternating header names and values, as `writeHead()` accepts them. */
export type RawHeaders = readonly string[];

/** A response before an adapter compresses and sends it. */
export interface Reply {
  readonly status: number;
  /** Alternating names and values, names in lower case. Without `content-length`. */
  readonly headers: string[];
  /** A string has one character for each byte. Undefined: the response has no body. */
  readonly body?: string | ResponseBody | undefined;
  /** Whether clients with different requests are likely to get the same body. @default false */
  readonly isShareable?: boolean | undefined;
  /** Makes the response a stream of events, to which the function writes. */
  readonly stream?: StreamReply | undefined;
}

interface StreamReply {
  /** Compresses the events. @default false */
  readonly gzip?: boolean;
  /** Called when the headers have been sent. */
  open(events: EventStream): void;
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** Values of headers by name; those that are undefined are not sent. */
type Headers = Readonly<Record<string, string | undefined>>;

const NO_STORE = { "cache-control": "no-store" };

export function textReply(
  contentType: string,
  text: string,
  headers: Headers = {},
  status = 200,
): Reply {
  const all = toRawHeaders({ ...headers, "content-type": contentType });
  return { status, headers: all, body: toBinaryString(text) };
}

/** @param headers default: the response must not be cached */
export function jsonReply(value: unknown, headers: Headers = NO_STORE, status = 200): Reply {
  return textReply(JSON_TYPE, JSON.stringify(value), headers, status);
}

export function emptyReply(status: number, headers: Headers = {}): Reply {
  return { status, headers: toRawHeaders(headers) };
}

interface Representation {
  readonly entityTag: string;
  readonly contentType: string;
  readonly body: string | ResponseBody;
  readonly isShareable?: boolean;
}

/** A representation, or a 304 if the client has it already. @param headers are extended */
export function conditionalReply(
  { headers: { "if-none-match": known } }: ProxyRequest,
  headers: string[],
  { entityTag, contentType, body, isShareable }: Representation,
): Reply {
  headers.push("etag", entityTag);
  // NOTE: `Cache-Control: no-cache` of the request is ignored on purpose. Browsers add it to every
  // request whose If-None-Match was set by a script, which is how all clients poll.
  if (matchesEntityTag(known, entityTag)) return { status: 304, headers };
  headers.push("content-type", contentType);
  return { status: 200, headers, body, isShareable };
}

export function toRawHeaders(headers: Headers): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
}

/** @param name in lower case */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return headers[index + 1];
  }
  return undefined;
}
