import type { IncomingHttpHeaders } from "node:http";
import { AGE_HEADER } from "flags-sdk/internal";
import { CodingChoice, COMPRESSION_THRESHOLD_BYTES, matchesEntityTag } from "flags-server-kit/http";
import { LRUCache } from "lru-cache";
import type { Grant } from "../access/grant.ts";
import { ageMsOf } from "../age.ts";
import { BODY_FORMS, type ResponseBody } from "./response-body.ts";
import { fnv1a, FrequencySketch, MIN_COUNT } from "./response-cache.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** Default memory for bodies that several users share, in all codings. */
const MAX_SHARED_BYTES = 16 * 1024 * 1024;

/** The values of the headers that every flag response has, in addition to those that describe its body. */
interface ResponseHeaders {
  /** Value of `Cache-Control`. */
  readonly cacheControl: string;
  /** Value of `Vary`. */
  readonly vary: string;
  /** The age of the flags in milliseconds, to be sent in a header. @default it is not sent */
  readonly ageMs?: number | undefined;
}

/** The headers that flag responses of a protocol have. */
export interface ProtocolHeaders {
  /** Value of `Cache-Control` for a response that depends only on URL, body and key of its request. */
  readonly cacheControl: string;
  /** For every other response: a shared cache would send it to other clients. */
  readonly privateCacheControl: string;
  /** Value of `Vary`. */
  readonly vary: string;
  /** For keys that only some origins can use. */
  readonly originVary: string;
  /** For keys that require signed contexts. */
  readonly signedVary: string;
  /** Whether a response depends on more than the context, whatever the flags are. */
  readonly isAlwaysPrivate: boolean;
  /** Whether responses have the age of the flags in a header. */
  readonly showsAge: boolean;
}

/**
 * The headers of a response to a request with a grant.
 *
 * @param isSame whether every client that sends the same context gets the same flags
 */
export function headersFor(
  protocol: ProtocolHeaders,
  { rules, flags }: Grant,
  isSame: boolean,
): ResponseHeaders {
  const isSigned = rules?.contextVerifier !== undefined;
  const isPrivate = !isSame || isSigned || protocol.isAlwaysPrivate;
  const unsignedVary = rules?.allowsOrigin === undefined ? protocol.vary : protocol.originVary;
  return {
    cacheControl: isPrivate ? protocol.privateCacheControl : protocol.cacheControl,
    vary: isSigned ? protocol.signedVary : unsignedVary,
    ageMs: protocol.showsAge ? ageMsOf(flags.source.flags) : undefined,
  };
}

/** A response that is ready to be written. */
export interface PreparedResponse {
  readonly status: 200 | 304;
  /** Alternating names and values, without the CORS headers. */
  readonly headers: string[];
  /** A string has one character for each byte: write it as `latin1`. Undefined for a 304. */
  readonly bytes: string | Buffer | undefined;
}

/** A body that was computed for a request, and how to send it. */
export interface FlagResponse {
  readonly body: ResponseBody;
  /** Whether clients with different requests are likely to get the same body. */
  readonly isShareable: boolean;
  readonly headers: ResponseHeaders;
}

/**
 * Decides how flags are sent: as a 304 or in full, with which headers, and in which content coding. Used
 * by the fast path and the framework path alike, so that both send the same.
 */
export class ResponsePreparer {
  readonly #codings = new CodingChoice();
  readonly #shared: LRUCache<string, ResponseBody>;
  readonly #frequency = new FrequencySketch();

  /** @param maxSharedBytes memory for bodies that several users share; default 16 MiB */
  constructor(maxSharedBytes: number = MAX_SHARED_BYTES) {
    this.#shared = new LRUCache({
      maxSize: maxSharedBytes,
      sizeCalculation: ({ byteLength }) => BODY_FORMS * byteLength + 1,
    });
  }

  /** Returns a promise only if a large body has to be compressed. */
  prepare(
    requestHeaders: IncomingHttpHeaders,
    { body, isShareable, headers: { cacheControl, vary, ageMs } }: FlagResponse,
  ): PreparedResponse | Promise<PreparedResponse> {
    const { entityTag, byteLength } = body;
    const headers = ["cache-control", cacheControl, "vary", vary, "etag", entityTag];
    if (ageMs !== undefined) headers.push(AGE_HEADER, String(Math.ceil(ageMs / 1000)));
    // NOTE: the request's own `Cache-Control: no-cache` is ignored on purpose. Browsers add it to
    // every request whose If-None-Match was set by a script, which is how all clients poll.
    if (matchesEntityTag(requestHeaders["if-none-match"], entityTag)) {
      return { status: 304, headers, bytes: undefined };
    }
    headers.push("content-type", JSON_TYPE);
    const coding =
      byteLength < COMPRESSION_THRESHOLD_BYTES ? undefined : this.#codings.choose(requestHeaders);
    const coded = coding && (isShareable ? this.#share(body) : body).compress(coding);
    if (coding === undefined || coded === undefined) {
      return complete(headers, body.bytesToSend(), byteLength);
    }
    headers.push("content-encoding", coding);
    return Buffer.isBuffer(coded)
      ? complete(headers, coded, coded.length)
      : coded.then((bytes) => complete(headers, bytes, bytes.length));
  }

  /**
   * Returns a recent body with the same bytes if there is one, since that has been compressed already.
   * Where few flags depend on the user there are few different bodies, and compressing one takes several
   * times as long as everything else. Where many do, most bodies occur once and are not stored. The entity tag
   * only finds the candidate.
   */
  #share(body: ResponseBody): ResponseBody {
    const known = this.#shared.get(body.entityTag);
    if (known === body) return body;
    if (known?.equals(body) === true) return known;
    const count = this.#frequency.increment(fnv1a(body.entityTag));
    if (count >= MIN_COUNT) this.#shared.set(body.entityTag, body);
    return body;
  }
}

function complete(headers: string[], bytes: string | Buffer, byteLength: number): PreparedResponse {
  headers.push("content-length", String(byteLength));
  return { status: 200, headers, bytes };
}
