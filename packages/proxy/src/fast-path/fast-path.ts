import type { IncomingMessage, ServerResponse } from "node:http";
import type { Snapshot } from "flags-engine";
import type { ObserveRequest } from "flags-service/http";
import type { KeyRing } from "../auth/key-ring.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { AnswerSender } from "./answer-sender.ts";
import { prepareAnswer, toQueryQuestion } from "./prepare-answer.ts";
import type { PreparedAnswer } from "./prepared-answer.ts";
import { TurnQueue } from "./turn-queue.ts";

const CLIENT_KEYS = ["client"] as const;

export interface FastPathOptions {
  /** The path of the evaluation, base path included. */
  readonly path: string;
  readonly keyHeaderName: string;
  readonly ring: KeyRing;
  readonly rules: EvaluationRules;
  readonly sender: AnswerSender;
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
  readonly #newAnswers = new TurnQueue<Exchange>((exchange) => this.#finish(exchange));
  #isClosed = false;

  constructor(options: FastPathOptions) {
    this.#options = options;
    this.#startOfQuery = `${options.path}?`;
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

  #prepare(request: IncomingMessage, snapshot: Snapshot): PreparedAnswer | undefined {
    const { rules, answers } = this.#options;
    const question = toQueryQuestion(request.url ?? "");
    return prepareAnswer({ request, snapshot, question }, rules, answers);
  }

  #finish({ request, response, answer, startMs }: Exchange): void {
    const { sender, observe, path } = this.#options;
    const status = sender.send(request, response, answer);
    const seconds = (performance.now() - startMs) / 1000;
    observe({ method: "GET", route: path, status, seconds });
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
}

/** A request and what it is answered with. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: PreparedAnswer;
  readonly startMs: number;
}
