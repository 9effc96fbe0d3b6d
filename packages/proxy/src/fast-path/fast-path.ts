import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, Snapshot } from "flags-engine";
import {
  CodingChoice,
  COMPRESS_AT_ONCE_MAX_BYTES,
  compressAtOnce,
  COMPRESSION_THRESHOLD_BYTES,
  isNamedBy,
  type ContentCoding,
  type ObserveRequest,
} from "flags-service/http";
import type { KeyRing } from "../auth/key-ring.ts";
import { readsSessionId } from "../context/complete-context.ts";
import { parseQueryContext } from "../context/parse-query.ts";
import { unenrichedContext } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import type { RawHeaders } from "../cors/cors-headers.ts";
import { selectEnabled } from "../render/select.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { BodyPool } from "./body-pool.ts";
import { PreparedAnswer } from "./prepared-answer.ts";
import { TurnQueue } from "./turn-queue.ts";

const CLIENT_KEYS = ["client"] as const;
const JSON_TYPE = "application/json; charset=utf-8";

export interface FastPathOptions {
  /** The path of the evaluation, base path included. */
  readonly path: string;
  readonly keyHeaderName: string;
  readonly ring: KeyRing;
  readonly rules: EvaluationRules;
  readonly corsHeaders: (requestOrigin: string | undefined) => RawHeaders;
  readonly observe: ObserveRequest;
  /** Where answers are kept, of this path and of others. */
  readonly answers: AnswerCache;
}

/**
 * A hot path: `GET /proxy`, or the like of another dialect, with a good key and a good context,
 * which is nearly all there is to do. It answers with the same bytes as the route of that name (fast-path.test.ts compares them),
 * without the framework's share of the work. Everything else, every error included, it leaves to
 * the framework, so it has no errors of its own.
 */
export class FastPath {
  readonly #options: FastPathOptions;
  readonly #startOfQuery: string;
  readonly #answers: AnswerCache;
  readonly #codings = new CodingChoice();
  readonly #bodies = new BodyPool();
  readonly #newAnswers = new TurnQueue<Exchange>((exchange) => this.#finish(exchange));
  #isClosed = false;

  constructor(options: FastPathOptions) {
    this.#options = options;
    this.#startOfQuery = `${options.path}?`;
    this.#answers = options.answers;
  }

  /** Leaves everything to the framework from now on, which knows how to say goodbye. */
  close(): void {
    this.#isClosed = true;
  }

  /** Answers a request, unless it is not of the kind that is answered here. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const startMs = performance.now();
    const snapshot = this.#isMine(request) ? this.#snapshotFor(request) : undefined;
    const answer = snapshot && this.#prepare(request, snapshot);
    if (answer === undefined) return false;

    const exchange = { request, response, answer, startMs };
    if (answer.isKept) this.#finish(exchange);
    else this.#newAnswers.add(exchange);
    return true;
  }

  #finish({ request, response, answer, startMs }: Exchange): void {
    const status = this.#send(request, response, answer);
    const seconds = (performance.now() - startMs) / 1000;
    this.#options.observe({ method: "GET", route: this.#options.path, status, seconds });
  }

  #isMine({ method, url = "", headers }: IncomingMessage): boolean {
    return (
      method === "GET" &&
      !this.#isClosed &&
      (url.startsWith(this.#startOfQuery) || url === this.#options.path) &&
      headers["content-length"] === undefined &&
      headers["transfer-encoding"] === undefined
    );
  }

  #snapshotFor({ headers }: IncomingMessage): Snapshot | undefined {
    const { ring, keyHeaderName } = this.#options;
    const key = headers[keyHeaderName];
    return typeof key === "string" ? ring.find(key, CLIENT_KEYS)?.source.snapshot : undefined;
  }

  #prepare(request: IncomingMessage, snapshot: Snapshot): PreparedAnswer | undefined {
    const question = request.url ?? "";
    const kept = this.#answers.get(snapshot, question);
    if (kept !== undefined) return kept;

    const subject = this.#read(request, snapshot);
    if (subject === undefined) return undefined;
    const { outcomes, isRepeatable } = snapshot.evaluateAll(subject.context);
    const rendering = this.#options.rules.render(snapshot);
    const answer = new PreparedAnswer(selectEnabled(rendering, outcomes));
    if (isRepeatable && isInText(subject.sent, snapshot)) {
      this.#answers.offer(snapshot, question, answer);
    }
    return answer;
  }

  #read(request: IncomingMessage, snapshot: Snapshot): Subject | undefined {
    try {
      const sent = parseQueryContext(request.url ?? "");
      const context = unenrichedContext(
        { request, sent, snapshot },
        this.#options.rules.contextRules,
      );
      return { sent, context };
    } catch {
      // The framework comes to the same conclusion, and has the words for it.
      return undefined;
    }
  }

  /** Returns the status. */
  #send(request: IncomingMessage, response: ServerResponse, answer: PreparedAnswer): number {
    const { corsHeaders, rules } = this.#options;
    const { origin, "if-none-match": ifNoneMatch } = request.headers;
    const headers = [
      ...corsHeaders(origin),
      "cache-control",
      rules.cacheControl,
      "vary",
      rules.vary,
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
    if (answer.isKept || !BodyPool.suits(byteLength)) {
      response.end(answer.body);
      return;
    }
    const memory = this.#bodies.take(byteLength);
    answer.writeTo(memory);
    // NOTE: told when the system has taken all of the body, and never if the connection is lost.
    response.end(memory.subarray(0, byteLength), () => this.#bodies.giveBack(memory));
  }

  /** An answer that is not kept needs its body no longer than it takes to compress it. */
  #encode(answer: PreparedAnswer, coding: ContentCoding): Buffer | Promise<Buffer> {
    const { byteLength, isKept } = answer;
    if (isKept || byteLength > COMPRESS_AT_ONCE_MAX_BYTES || !BodyPool.suits(byteLength)) {
      return answer.encoded(coding);
    }
    const memory = this.#bodies.take(byteLength);
    answer.writeTo(memory);
    const body = compressAtOnce(memory.subarray(0, byteLength), coding);
    this.#bodies.giveBack(memory);
    return body;
  }

  #codingFor({ headers }: IncomingMessage): ContentCoding | undefined {
    const accepted = headers["accept-encoding"];
    return typeof accepted === "string" ? this.#codings.for(accepted) : undefined;
  }
}

/** A request and what it is answered with. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: PreparedAnswer;
  readonly startMs: number;
}

interface Subject {
  readonly sent: SentContext;
  readonly context: Context;
}

/** Whether the text of a request holds all that its answer depends on. */
function isInText({ fields }: SentContext, { relevance }: Snapshot): boolean {
  return (
    (Boolean(fields.sessionId) || !readsSessionId(relevance)) &&
    (Boolean(fields.remoteAddress) || !relevance.fields.includes("remoteAddress"))
  );
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
