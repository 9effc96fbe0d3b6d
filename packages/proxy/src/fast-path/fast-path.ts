import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FlagSource } from "flags-sdk";
import { findRepeatedHeader, type ObserveRequest } from "flags-service/http";
import type { KeyRing } from "../auth/key-ring.ts";
import type { BodyForm } from "../routes/body-form.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { AnswerSender } from "./answer-sender.ts";
import { isPlainGet, isPlainPost } from "./plain-request.ts";
import { prepareAnswer } from "./prepare-answer.ts";
import type { PreparedAnswer } from "./prepared-answer.ts";
import { offerQuestion, type Question } from "./question.ts";
import { TurnQueue } from "./turn-queue.ts";

const CLIENT_KEYS = ["client"] as const;

export interface FastPathOptions {
  /** The path of the evaluation, base path included. */
  readonly path: string;
  readonly keyHeaderName: string;
  readonly ring: KeyRing;
  readonly rules: EvaluationRules;
  readonly bodyForm: BodyForm;
  readonly sender: AnswerSender;
  readonly observe: ObserveRequest;
  /** Where answers are kept, of this path and of others. */
  readonly answers: AnswerCache;
}

/**
 * A hot path: `GET` and `POST` of `/proxy`, or the like of another dialect, with a good key and a good
 * context, which is nearly all there is to do. It answers with the same bytes as the routes of that
 * name (fast-path*.test.ts compare them), without the framework's share of the work. Everything else,
 * every error included, it leaves to the framework, so it has no errors of its own.
 */
export class FastPath {
  readonly #options: FastPathOptions;
  readonly #exchanges = new TurnQueue<Exchange>((exchange) => this.#finish(exchange));
  #isClosed = false;

  constructor(options: FastPathOptions) {
    this.#options = options;
  }

  /** Leaves everything to the framework from now on, which knows how to say goodbye. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether a request is of the kind that is answered here, as far as can be told at a glance. */
  suits(request: IncomingMessage): boolean {
    const { path } = this.#options;
    return !this.#isClosed && (isPlainGet(request, path) || isPlainPost(request, path));
  }

  /** Answers a request that suits, or leaves it after all: at once, or when its body arrives. */
  answer(request: IncomingMessage, response: ServerResponse, leave: RequestListener): void {
    const arrival = { request, response, startMs: performance.now() };
    const source = this.#sourceFor(request);
    if (source?.snapshot === undefined) {
      leave(request, response);
      return;
    }
    offerQuestion(request, this.#options.bodyForm, {
      take: (question) => this.#take(question, source, arrival),
      leave: () => leave(request, response),
    });
  }

  #sourceFor({ headers, rawHeaders }: IncomingMessage): FlagSource | undefined {
    const { ring, keyHeaderName } = this.#options;
    if (findRepeatedHeader(rawHeaders, [keyHeaderName]) !== undefined) return undefined;
    const key = headers[keyHeaderName];
    return typeof key === "string" ? ring.find(key, CLIENT_KEYS)?.source : undefined;
  }

  /** Answers a question unless it is not a good one, and returns whether it did. */
  #take(question: Question, { snapshot }: FlagSource, arrival: Arrival): boolean {
    const { rules, answers } = this.#options;
    const { request } = arrival;
    const answer = snapshot && prepareAnswer({ request, snapshot, question }, rules, answers);
    if (answer === undefined) return false;

    this.#exchanges.add({ arrival, answer });
    return true;
  }

  #finish({ arrival: { request, response, startMs }, answer }: Exchange): void {
    const { sender, observe, path } = this.#options;
    const status = sender.send(request, response, answer);
    const seconds = (performance.now() - startMs) / 1000;
    observe({ method: request.method ?? "", route: path, status, seconds });
  }
}

/** A request, and since when it is here. */
interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startMs: number;
}

/** A request with what it is answered. */
interface Exchange {
  readonly arrival: Arrival;
  readonly answer: PreparedAnswer;
}
