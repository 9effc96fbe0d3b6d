import type { IncomingHttpHeaders } from "node:http";
import {
  chooseCoding,
  CodedBody,
  COMPRESSION_THRESHOLD_BYTES,
  type ContentCoding,
} from "flags-server-kit/http";
import { LRUCache } from "lru-cache";
import type { Reply } from "../core/http/reply.ts";
import { BODY_FORMS, ResponseBody } from "../core/http/response-body.ts";
import { fnv1a, MIN_COUNT, RecentCounts } from "../core/response/response-cache.ts";

const MAX_SHARED_BYTES = 16 * 1024 * 1024;

/** The bytes to send. A string has one character for each byte. */
export type Bytes = string | Buffer;

/**
 * Compresses the bodies of replies of at least 1 KiB if the client accepts that.
 *
 * NOTE: no compressed response contains a secret together with text that somebody else has chosen, which would let
 * them guess the secret from the length: responses with secrets are smaller, and are sent once.
 */
export class ReplyCompressor {
  readonly #shared: LRUCache<string, ResponseBody>;
  readonly #recent = new RecentCounts();
  readonly #coded = new WeakMap<ResponseBody, CodedBody>();

  /** @param maxSharedBytes memory for bodies that several users share, in all codings; default 16 MiB */
  constructor(maxSharedBytes: number = MAX_SHARED_BYTES) {
    this.#shared = new LRUCache({
      maxSize: maxSharedBytes,
      sizeCalculation: ({ byteLength }) => BODY_FORMS * byteLength + 1,
    });
  }

  /** Returns the bytes of a reply, and adds headers. A promise only if a large body has to be compressed. */
  encode(requestHeaders: IncomingHttpHeaders, reply: Reply): Bytes | Promise<Bytes> | undefined {
    const { body, headers } = reply;
    if (body === undefined) {
      if (reply.status !== 304) headers["content-length"] = "0";
      return undefined;
    }
    const byteLength = typeof body === "string" ? body.length : body.byteLength;
    if (byteLength < COMPRESSION_THRESHOLD_BYTES) return complete(headers, bytesOf(body));
    varyOnCoding(headers);
    const coding = chooseCoding(requestHeaders);
    const coded = coding && this.#compress(reply, body, coding);
    if (coded === undefined) return complete(headers, bytesOf(body));
    weakenEntityTag(headers);
    headers["content-encoding"] = coding ?? "";
    return Buffer.isBuffer(coded)
      ? complete(headers, coded)
      : coded.then((bytes) => complete(headers, bytes));
  }

  /** Returns undefined if too many large bodies are being compressed. */
  #compress({ isShareable }: Reply, body: Bytes | ResponseBody, coding: ContentCoding) {
    if (!(body instanceof ResponseBody)) return new CodedBody(body, "latin1").tryCompress(coding);
    const shared = isShareable === true ? this.#share(body) : body;
    const coded = this.#coded.get(shared) ?? new CodedBody(shared.bytes, "latin1");
    this.#coded.set(shared, coded);
    return coded.tryCompress(coding);
  }

  /**
   * Returns a recent body with the same bytes if there is one, since that has been compressed already, which takes several
   * times as long as everything else. Bodies that occur once are not stored. The entity tag only finds the candidate.
   */
  #share(body: ResponseBody): ResponseBody {
    const known = this.#shared.get(body.entityTag);
    if (known === body) return body;
    if (known?.equals(body) === true) return known;
    const count = this.#recent.increment(fnv1a(body.entityTag));
    if (count >= MIN_COUNT) this.#shared.set(body.entityTag, body);
    return body;
  }
}

function bytesOf(body: string | ResponseBody): Bytes {
  return typeof body === "string" ? body : body.bytesToSend();
}

function complete(headers: Reply["headers"], bytes: Bytes): Bytes {
  headers["content-length"] = String(bytes.length);
  return bytes;
}

function varyOnCoding(headers: Reply["headers"]): void {
  const { vary } = headers;
  if (vary === undefined) headers["vary"] = "accept-encoding";
  else if (!vary.includes("accept-encoding")) headers["vary"] = `${vary}, accept-encoding`;
}

/** NOTE: a strong tag promises the same bytes, which differ between codings. */
function weakenEntityTag(headers: Reply["headers"]): void {
  const { etag } = headers;
  if (etag?.startsWith('"') === true) headers["etag"] = `W/${etag}`;
}
