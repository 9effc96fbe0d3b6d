import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { findRepeatedHeader, type ObserveRequest } from "flags-server-kit/http";
import type { Context, Snapshot } from "flags-engine";
import type { Grant, KeyRegistry } from "../access/key-registry.ts";
import { readsSessionId } from "../evaluation/complete-context.ts";
import { parseQueryContext } from "../evaluation/parse-query.ts";
import { unenrichedContext } from "../evaluation/request-context.ts";
import type { SentContext } from "../evaluation/sent-context.ts";
import { isValid } from "../http/validation.ts";
import { evaluateFlags } from "../response/evaluate-flags.ts";
import type { BodyForm, EvaluationInput } from "../api/body-form.ts";
import type { EvaluationRules } from "../api/evaluate.ts";
import { isCommonGet, isCommonPost, readShortBody } from "./common-request.ts";
import type { ResponseCache } from "./response-cache.ts";
import type { Outgoing, ResponseSender } from "./send-response.ts";

const CLIENT_KEYS = ["client"] as const;

export interface FastPathOptions {
  /** The path of the evaluation, base path included. */
  readonly path: string;
  readonly keyHeaderName: string;
  readonly ring: KeyRegistry;
  readonly rules: EvaluationRules;
  readonly bodyForm: BodyForm;
  readonly sender: ResponseSender;
  readonly observe: ObserveRequest;
  /** Shared by all fast paths of an app. */
  readonly cache: ResponseCache;
}

/** A request whose key was accepted. */
interface AcceptedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly grant: Grant;
  readonly startMs: number;
}

interface Exchange {
  readonly accepted: AcceptedRequest;
  readonly outgoing: Outgoing;
}

/**
 * A hot path: `GET` and `POST` of `/proxy`, or of another protocol's list of flags, with a valid key
 * and a valid context. It sends the same bytes as the routes do (fast-path*.test.ts compare them)
 * without the framework's overhead. It leaves every other request, every error included, to the
 * framework, so it has no error responses of its own.
 */
export class FastPath {
  readonly #options: FastPathOptions;
  #isClosed = false;

  constructor(options: FastPathOptions) {
    this.#options = options;
  }

  /** Leaves everything to the framework from now on, which drains connections. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether a request looks like one that can be handled here. */
  suits(request: IncomingMessage): boolean {
    const { path } = this.#options;
    return !this.#isClosed && (isCommonGet(request, path) || isCommonPost(request, path));
  }

  /** Handles a request that suits, or leaves it to the framework. */
  handle(request: IncomingMessage, response: ServerResponse, leave: RequestListener): void {
    const startMs = performance.now();
    const grant = this.#grantFor(request);
    if (grant?.source.snapshot === undefined) {
      leave(request, response);
      return;
    }
    const { url = "" } = request;
    const accepted = { request, response, grant, startMs };
    const leaveRequest = (): void => leave(request, response);
    if (request.method === "POST") {
      // NOTE: no URL contains a line break, so this text is never that of a GET.
      const accept = (body: string): boolean =>
        this.#accept(accepted, `${url}\n${body}`, () => this.#parseBody(body));
      readShortBody(request, accept, leaveRequest);
    } else if (!this.#accept(accepted, url, () => ({ sent: parseQueryContext(url) }))) {
      leaveRequest();
    }
  }

  #grantFor({ headers, rawHeaders }: IncomingMessage): Grant | undefined {
    const { ring, keyHeaderName } = this.#options;
    if (findRepeatedHeader(rawHeaders, [keyHeaderName]) !== undefined) return undefined;
    const key = headers[keyHeaderName];
    return typeof key === "string" ? ring.find(key, CLIENT_KEYS) : undefined;
  }

  /** @throws when the framework would reject the body */
  #parseBody(body: string): EvaluationInput {
    const { bodyForm } = this.#options;
    const value: unknown = JSON.parse(body);
    if (!isValid(bodyForm.schema, value)) throw new TypeError("The body does not match its schema");
    return bodyForm.read(value);
  }

  /**
   * Prepares the response; false when the request is not valid.
   *
   * @param text everything the client sent that the response depends on, apart from its key
   */
  #accept(accepted: AcceptedRequest, text: string, parse: () => EvaluationInput): boolean {
    const { cache } = this.#options;
    const { snapshot } = accepted.grant.source;
    if (snapshot === undefined) return false;
    const cacheKey = `${accepted.grant.key}\n${text}`;
    const cached = cache.get(snapshot, cacheKey);
    const outgoing =
      cached === undefined
        ? this.#evaluate(accepted, snapshot, cacheKey, parse)
        : { body: cached, isShareable: false };
    if (outgoing === undefined) return false;
    // NOTE: responses are sent after all requests of this event-loop tick have been read. Sending wakes
    // the reader, which then competes for the processor with the requests that are still unread; this
    // can cost half as much again. Between two immediates Node releases what was sent.
    setImmediate(() => this.#send({ accepted, outgoing }));
    return true;
  }

  #evaluate(
    { request }: AcceptedRequest,
    snapshot: Snapshot,
    cacheKey: string,
    parse: () => EvaluationInput,
  ): Outgoing | undefined {
    const { rules, cache } = this.#options;
    let input: EvaluationInput;
    let context: Context;
    try {
      input = parse();
      context = unenrichedContext({ request, sent: input.sent, snapshot }, rules.contextRules);
    } catch {
      // The framework finds the same error, and responds with its message.
      return undefined;
    }
    const { body, isRepeatable } = evaluateFlags(rules, snapshot, context, input);
    const isCacheable = isRepeatable && dependsOnTextAlone(input.sent, snapshot);
    return {
      body: isCacheable ? cache.offer(snapshot, cacheKey, body) : body,
      isShareable: input.toggles === undefined,
    };
  }

  #send({ accepted: { request, response, startMs }, outgoing }: Exchange): void {
    const { sender, observe, path } = this.#options;
    const status = sender.send(request, response, outgoing);
    const seconds = (performance.now() - startMs) / 1000;
    observe({ method: request.method ?? "", route: path, status, seconds });
  }
}

/** Whether the response depends only on the text of the request, and not on the caller's address, say. */
function dependsOnTextAlone({ fields }: SentContext, { contextDependencies }: Snapshot): boolean {
  return (
    (Boolean(fields.sessionId) || !readsSessionId(contextDependencies)) &&
    (Boolean(fields.remoteAddress) || !contextDependencies.fields.includes("remoteAddress"))
  );
}
