import type { IncomingMessage, ServerResponse } from "node:http";
import {
  CodingChoice,
  compress,
  COMPRESSION_THRESHOLD_BYTES,
  matchesEntityTag,
  type ContentCoding,
} from "flags-server-kit/http";
import type { RawHeaders } from "../http/cors-headers.ts";
import type { ResponseBody } from "../response/flag-list-body.ts";
import type { CompressedBodies } from "./compressed-bodies.ts";
import { CachedResponse } from "./response-cache.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export interface ResponseSenderOptions {
  readonly corsHeaders: (requestOrigin: string | undefined) => RawHeaders;
  /** Value of `Cache-Control`. */
  readonly cacheControl: string;
  /** Value of `Vary`. */
  readonly vary: string;
  readonly compressedBodies: CompressedBodies;
}

/** A response body, and whether other users may get the same bytes compressed only once. */
export interface Outgoing {
  readonly body: ResponseBody;
  /** False for a list of flags that the client named. */
  readonly isShareable: boolean;
}

/** Sends responses with the headers and in the content coding that the framework would choose. */
export class ResponseSender {
  readonly #options: ResponseSenderOptions;
  readonly #codings = new CodingChoice();

  constructor(options: ResponseSenderOptions) {
    this.#options = options;
  }

  /** Sends a 200, or a 304 if the client has this response already, and returns the status. */
  send(request: IncomingMessage, response: ServerResponse, outgoing: Outgoing): 200 | 304 {
    const { corsHeaders, cacheControl, vary } = this.#options;
    const { origin, "if-none-match": ifNoneMatch } = request.headers;
    const { entityTag, byteLength } = outgoing.body;
    const headers = [
      ...corsHeaders(origin),
      "cache-control",
      cacheControl,
      "vary",
      vary,
      "etag",
      entityTag,
    ];
    if (matchesEntityTag(ifNoneMatch, entityTag)) {
      response.writeHead(304, headers).end();
      return 304;
    }
    headers.push("content-type", JSON_TYPE);
    const coding = byteLength < COMPRESSION_THRESHOLD_BYTES ? undefined : this.#codingFor(request);
    if (coding === undefined) {
      headers.push("content-length", String(byteLength));
      response.writeHead(200, headers);
      const { body } = outgoing;
      if (body instanceof CachedResponse) response.end(body.toBuffer());
      else response.end(body.toBinaryString(), "latin1");
    } else {
      sendCompressed(response, headers, coding, this.#compress(outgoing, coding));
    }
    return 200;
  }

  #codingFor({ headers }: IncomingMessage): ContentCoding | undefined {
    const { "accept-encoding": accepted, "x-no-compression": refusal } = headers;
    if (typeof accepted !== "string" || refusal !== undefined) return undefined;
    return this.#codings.for(accepted);
  }

  #compress({ body, isShareable }: Outgoing, coding: ContentCoding): Buffer | Promise<Buffer> {
    if (body instanceof CachedResponse) return body.compressed(coding);
    const bytes = body.toBuffer();
    return isShareable
      ? this.#options.compressedBodies.compress(body.entityTag, bytes, coding)
      : compress(bytes, coding);
  }
}

function sendCompressed(
  response: ServerResponse,
  headers: string[],
  coding: ContentCoding,
  body: Buffer | Promise<Buffer>,
): void {
  const send = (bytes: Buffer): void => {
    headers.push("content-encoding", coding, "content-length", String(bytes.length));
    response.writeHead(200, headers).end(bytes);
  };
  if (Buffer.isBuffer(body)) send(body);
  else body.then(send, () => response.destroy());
}
