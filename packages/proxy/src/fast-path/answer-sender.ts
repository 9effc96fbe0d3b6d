import type { IncomingMessage, ServerResponse } from "node:http";
import {
  CodingChoice,
  COMPRESS_AT_ONCE_MAX_BYTES,
  compressAtOnce,
  COMPRESSION_THRESHOLD_BYTES,
  isNamedBy,
  type ContentCoding,
} from "flags-service/http";
import type { RawHeaders } from "../cors/cors-headers.ts";
import type { BodyPool } from "./body-pool.ts";
import type { PreparedAnswer } from "./prepared-answer.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export interface AnswerSenderOptions {
  readonly corsHeaders: (requestOrigin: string | undefined) => RawHeaders;
  /** Value of `Cache-Control`. */
  readonly cacheControl: string;
  /** Value of `Vary`. */
  readonly vary: string;
}

/** Sends answers with the headers and in the coding that the framework would choose. */
export class AnswerSender {
  readonly #options: AnswerSenderOptions;
  readonly #codings = new CodingChoice();
  readonly #bodies: BodyPool;

  /** @param bodies shared by all senders, since their limit is one of the process */
  constructor(options: AnswerSenderOptions, bodies: BodyPool) {
    this.#options = options;
    this.#bodies = bodies;
  }

  /** Returns the status. */
  send(request: IncomingMessage, response: ServerResponse, answer: PreparedAnswer): number {
    const { corsHeaders, cacheControl, vary } = this.#options;
    const { origin, "if-none-match": ifNoneMatch } = request.headers;
    const headers = [
      ...corsHeaders(origin),
      "cache-control",
      cacheControl,
      "vary",
      vary,
      "etag",
      answer.entityTag,
    ];
    if (isNamedBy(ifNoneMatch, answer.entityTag)) {
      response.writeHead(304, headers).end();
      return 304;
    }
    headers.push("content-type", JSON_TYPE);
    const coding =
      answer.byteLength < COMPRESSION_THRESHOLD_BYTES ? undefined : this.#codingFor(request);
    if (coding === undefined) this.#sendBody(response, headers, answer);
    else sendEncoded(response, headers, { coding, body: this.#encode(answer, coding) });
    return 200;
  }

  #sendBody(response: ServerResponse, headers: string[], answer: PreparedAnswer): void {
    const { byteLength } = answer;
    headers.push("content-length", String(byteLength));
    response.writeHead(200, headers);
    const { socket } = response;
    // NOTE: when a response is lost that waits for others on its connection, nobody is told.
    const room = answer.isKept || socket === null ? undefined : this.#bodies.take(byteLength);
    if (room === undefined) {
      response.end(answer.body);
      return;
    }
    answer.writeTo(room.bytes);
    response.end(room.bytes);
    // NOTE: the system mostly takes a body at once, and the next one then comes to memory that the
    // processor has at hand.
    if (socket?.writableLength === 0) this.#bodies.giveBack(room);
    else response.once("close", () => this.#bodies.giveBack(room));
  }

  /** An answer that is not kept needs its body no longer than it takes to compress it. */
  #encode(answer: PreparedAnswer, coding: ContentCoding): Buffer | Promise<Buffer> {
    const { byteLength, isKept } = answer;
    const isBrief = !isKept && byteLength <= COMPRESS_AT_ONCE_MAX_BYTES;
    const room = isBrief ? this.#bodies.take(byteLength) : undefined;
    if (room === undefined) return answer.encoded(coding);
    answer.writeTo(room.bytes);
    const body = compressAtOnce(room.bytes, coding);
    this.#bodies.giveBack(room);
    return body;
  }

  #codingFor({ headers }: IncomingMessage): ContentCoding | undefined {
    const { "accept-encoding": accepted, "x-no-compression": refusal } = headers;
    if (typeof accepted !== "string" || refusal !== undefined) return undefined;
    return this.#codings.for(accepted);
  }
}

function sendEncoded(
  response: ServerResponse,
  headers: string[],
  { coding, body }: { readonly coding: ContentCoding; readonly body: Buffer | Promise<Buffer> },
): void {
  const send = (bytes: Buffer): void => {
    headers.push("content-encoding", coding, "content-length", String(bytes.length));
    response.writeHead(200, headers).end(bytes);
  };
  if (Buffer.isBuffer(body)) send(body);
  else body.then(send, () => response.destroy());
}
