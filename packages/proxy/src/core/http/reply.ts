import type { EventStream } from "flags-server-kit/http";
import { matchesEntityTag } from "flags-server-kit/neutral";
import type { ProxyRequest } from "./request.ts";
import { type ResponseBody, toBinaryString } from "./response-body.ts";

export type ReplyHeaders = Readonly<Record<string, string>>;

/** A response before an adapter compresses and sends it. */
export interface Reply {
  readonly status: number;
  /** Values by name in lower case, without `content-length`. Those who pass the reply on add some. */
  readonly headers: Record<string, string>;
  /** A string has one character for each byte. Undefined: the response has no body. */
  readonly body?: string | ResponseBody | undefined;
  /** Whether clients with different requests are likely to get the same body. @default false */
  readonly isShareable?: boolean | undefined;
  /** Makes the response a stream of events, to which the function writes. */
  readonly stream?: StreamReply | undefined;
}

export interface StreamReply {
  readonly gzip?: boolean;
  open(events: EventStream): void;
}

export const JSON_TYPE = "application/json; charset=utf-8";

const NO_STORE = { "cache-control": "no-store" };

export function textReply(
  contentType: string,
  text: string,
  headers: ReplyHeaders = {},
  status = 200,
): Reply {
  const body = toBinaryString(text);
  return { status, headers: { ...headers, "content-type": contentType }, body };
}

/** @param headers default: the response must not be cached */
export function jsonReply(value: unknown, headers: ReplyHeaders = NO_STORE, status = 200): Reply {
  return textReply(JSON_TYPE, JSON.stringify(value), headers, status);
}

export function emptyReply(status: number, headers: ReplyHeaders = {}): Reply {
  return { status, headers: { ...headers } };
}

interface Representation {
  readonly entityTag: string;
  readonly contentType: string;
  readonly body: string | ResponseBody;
  readonly isShareable?: boolean;
}

export function conditionalReply(
  { headers: { "if-none-match": known } }: ProxyRequest,
  headers: Record<string, string>,
  { entityTag, contentType, body, isShareable }: Representation,
): Reply {
  headers["etag"] = entityTag;
  // NOTE: `Cache-Control: no-cache` of the request is ignored on purpose. Browsers add it to every
  // request whose If-None-Match was set by a script, which is how all clients poll.
  if (matchesEntityTag(known, entityTag)) return { status: 304, headers };
  headers["content-type"] = contentType;
  return { status: 200, headers, body, isShareable };
}
