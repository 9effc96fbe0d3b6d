// The entry `flags-sdk/openfeature-web`.

import { OFREPWebProvider, type OFREPWebProviderOptions } from "@openfeature/ofrep-web-provider";
import {
  ClientProviderEvents,
  ErrorCode,
  type EvaluationContext,
  type FlagValue,
  type JsonValue,
  type Provider,
  type ResolutionDetails,
  StandardResolutionReasons,
} from "@openfeature/web-sdk";
import type { OfrepEvaluation } from "../rendering/ofrep.ts";
import type { OfrepBootstrap } from "../rendering/page-flags.ts";

export type { OfrepBootstrap } from "../rendering/page-flags.ts";

/** The options of the official provider, and the flags to start with. */
export interface PageProviderOptions extends Omit<
  OFREPWebProviderOptions,
  "cacheKeyGenerator" | "cacheMode" | "cacheTTL"
> {
  /** The property `ofrep` of what `evaluate()` has returned on the server. */
  readonly ofrep: OfrepBootstrap;
  /** Milliseconds between two requests for flags; 0: none, except for changes of the context. @default 30,000 */
  readonly pollInterval?: number;
}

const POLL_INTERVAL_MS = 30_000;

/**
 * An OpenFeature provider that starts with the flags of a page: it is ready at once, and the first request follows only after
 * the poll interval, with the `ETag` of the page. From then on, the official OFREP provider keeps the flags up to date; if it
 * fails, they stay as they are. On servers, which have no document, the flags never change.
 *
 * @example
 * await OpenFeature.setContext(ofrep.context);
 * OpenFeature.setProvider(new PageProvider({ ofrep, baseUrl, headers: [["Authorization", `Bearer ${key}`]] }));
 */
export class PageProvider implements Provider {
  // NOTE: no `initialize()`: OpenFeature considers a provider without it ready.
  readonly metadata = { name: "flags-sdk page provider" } as const;
  readonly runsOn = "client";
  readonly events: OFREPWebProvider["events"];
  readonly #initial: ReadonlyMap<string, OfrepEvaluation>;
  readonly #official: OFREPWebProvider;
  readonly #started: Promise<void>;
  #context: EvaluationContext;
  #isStarted = false;

  /** @throws {TypeError} if `ofrep` is not what `evaluate()` returns */
  constructor({ ofrep, ...options }: PageProviderOptions) {
    const { flags } = checkBootstrap(ofrep).body;
    this.#initial = new Map(flags.map((flag) => [flag.key, flag]));
    this.#context = ofrep.context;
    this.#official = new OFREPWebProvider(withFirstResponse(options, toResponse(ofrep)));
    this.events = this.#official.events;
    this.#started = "document" in globalThis ? this.#start() : Promise.resolve();
  }

  resolveBooleanEvaluation(
    flagKey: string,
    defaultValue: boolean,
    context: EvaluationContext,
  ): ResolutionDetails<boolean> {
    if (!this.#isStarted) return this.#resolve(flagKey, defaultValue);
    return this.#official.resolveBooleanEvaluation(flagKey, defaultValue, context);
  }

  resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
  ): ResolutionDetails<string> {
    if (!this.#isStarted) return this.#resolve(flagKey, defaultValue);
    return this.#official.resolveStringEvaluation(flagKey, defaultValue, context);
  }

  resolveNumberEvaluation(
    flagKey: string,
    defaultValue: number,
    context: EvaluationContext,
  ): ResolutionDetails<number> {
    if (!this.#isStarted) return this.#resolve(flagKey, defaultValue);
    return this.#official.resolveNumberEvaluation(flagKey, defaultValue, context);
  }

  resolveObjectEvaluation<Value extends JsonValue>(
    flagKey: string,
    defaultValue: Value,
    context: EvaluationContext,
  ): ResolutionDetails<Value> {
    if (!this.#isStarted) return this.#resolve(flagKey, defaultValue);
    return this.#official.resolveObjectEvaluation(flagKey, defaultValue, context);
  }

  /** Requests the flags for another context. Setting the one of the page again requests nothing. */
  async onContextChange(_old: EvaluationContext, context: EvaluationContext): Promise<void> {
    const previous = this.#context;
    if (isSame(previous, context)) return;
    this.#context = context;
    await this.#started;
    if (this.#isStarted) await this.#official.onContextChange(previous, context);
  }

  async onClose(): Promise<void> {
    await this.#started;
    await this.#official.onClose?.();
  }

  async #start(): Promise<void> {
    try {
      await this.#official.initialize(this.#context);
      this.#isStarted = true;
    } catch (error) {
      // For example, a URL that is none. The flags of the page remain.
      this.events.emit(ClientProviderEvents.Error, { message: String(error) });
    }
  }

  #resolve<Value extends FlagValue>(key: string, defaultValue: Value): ResolutionDetails<Value> {
    const flag = this.#initial.get(key);
    if (flag === undefined) return toError(defaultValue, ErrorCode.FLAG_NOT_FOUND);
    if ("errorCode" in flag) return toError(defaultValue, ErrorCode.PARSE_ERROR, flag.errorDetails);
    const { value, reason, variant, metadata: flagMetadata } = flag;
    if (typeof value !== typeof defaultValue) return toError(defaultValue, ErrorCode.TYPE_MISMATCH);
    return { value: value as Value, reason, variant, flagMetadata };
  }
}

/** Makes the page the response to the first request, for which no headers are needed. */
function withFirstResponse(
  options: Omit<PageProviderOptions, "ofrep">,
  response: Response,
): OFREPWebProviderOptions {
  const { headersFactory, fetchImplementation: send } = options;
  let first: Response | undefined = response;
  return {
    pollInterval: POLL_INTERVAL_MS,
    ...options,
    cacheMode: "disabled",
    ...(headersFactory && { headersFactory: async () => (first ? [] : headersFactory()) }),
    fetchImplementation: async (...request: Parameters<typeof fetch>) => {
      const page = first;
      first = undefined;
      return page ?? (send ?? fetch)(...request);
    },
  };
}

function checkBootstrap(ofrep: OfrepBootstrap): OfrepBootstrap {
  const given: Partial<OfrepBootstrap> | undefined = ofrep;
  if (Array.isArray(given?.body?.flags)) return ofrep;
  throw new TypeError("`ofrep` must be the property `ofrep` of what `evaluate()` returns");
}

function toResponse({ body, etag }: OfrepBootstrap): Response {
  return new Response(JSON.stringify(body), {
    headers: { "content-type": "application/json", etag },
  });
}

function isSame(one: EvaluationContext, other: EvaluationContext): boolean {
  return toSortedText(one) === toSortedText(other);
}

function toSortedText(context: EvaluationContext): string {
  return JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function toError<Value>(
  value: Value,
  errorCode: ErrorCode,
  errorMessage: string = "The page has no value of this type for the flag",
): ResolutionDetails<Value> {
  return { value, reason: StandardResolutionReasons.ERROR, errorCode, errorMessage };
}
