import { isRecord } from "flags-engine";
import { describeCause, UpstreamError } from "../transport/upstream-error.ts";
import type { EventSink } from "../transport/failure-log.ts";
import { sortDocument } from "./document-order.ts";
import type { FlagUpdater } from "./flag-updater.ts";
import { confirmedNow } from "../transport/confirmation.ts";
import type { Synchronizer, SyncSink } from "./synchronizer.ts";

/**
 * The required part of a client of the official Node SDK, as implemented by the class `Unleash` of
 * `unleash-client` 5.5 or later.
 */
export interface UnleashClient {
  /** Starts fetching flags; later calls have no effect. */
  start(): Promise<void>;
  isSynchronized(): boolean;
  /** Returns the flags, with the ids of their segments. */
  getFeatureToggleDefinitions(): readonly object[];
  /** Returns the flags, with their segments in full. */
  getFeatureToggleDefinitions(withFullSegments: boolean): readonly object[];
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  off(event: string, listener: (...details: unknown[]) => void): unknown;
}

const METHODS = ["start", "isSynchronized", "getFeatureToggleDefinitions", "on", "off"] as const;

export function isUnleashClient(value: unknown): value is UnleashClient {
  return isRecord(value) && METHODS.every((method) => typeof value[method] === "function");
}

interface UnleashSynchronizerOptions {
  readonly unleash: UnleashClient;
  readonly updater: Pick<FlagUpdater, "acceptFrom">;
  readonly sink: SyncSink;
  readonly events: EventSink;
}

/** Starts the client, but does not destroy it: the application must do that. */
export class UnleashSynchronizer implements Synchronizer {
  readonly #options: UnleashSynchronizerOptions;
  readonly #stopped = new AbortController();
  readonly #listeners: Readonly<Record<string, (...details: unknown[]) => void>>;

  constructor(options: UnleashSynchronizerOptions) {
    this.#options = options;
    this.#listeners = {
      ready: () => void this.#read(),
      changed: () => void this.#read(),
      unchanged: () => options.sink.unchanged(confirmedNow()),
      // NOTE: no `failure` events, because not every error of the client is a failed request.
      error: (cause) => options.events.error(toError(cause)),
      warn: (cause) => options.events.warn(toError(cause).message),
    };
  }

  start(): void {
    const { unleash, events } = this.#options;
    for (const [event, listener] of Object.entries(this.#listeners)) unleash.on(event, listener);
    void this.#read();
    unleash.start().catch((cause: unknown) => events.error(toError(cause)));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    const { unleash } = this.#options;
    for (const [event, listener] of Object.entries(this.#listeners)) unleash.off(event, listener);
  }

  /** NOTE: never rejects. The client does not check its flags, so that listing them can throw any error. */
  async #read(): Promise<void> {
    const { unleash, updater, sink, events } = this.#options;
    const { signal } = this.#stopped;
    try {
      const document = readDocument(unleash);
      if (unleash.isSynchronized())
        await sink.accept(sortDocument(document), signal, confirmedNow());
      // Before the first update, the client may provide flags from its backup file.
      else if (document.features.length > 0) await updater.acceptFrom("store", document, signal);
    } catch (cause) {
      const message = `The document is not usable: ${describeCause(cause)}`;
      if (!signal.aborted) events.error(new UpstreamError(message, { code: "DOCUMENT", cause }));
    }
  }
}

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

const NO_SEGMENTS = "This version of unleash-client does not provide segments: use 5.5 or later";

interface StrategyWithSegments {
  readonly segments?: readonly unknown[] | null;
}

interface FlagWithSegments {
  readonly strategies?: readonly (StrategyWithSegments | null)[] | null;
}

/** The client does not list its segments, so they are collected from the strategies that use them. */
function readDocument(unleash: UnleashClient): {
  readonly features: readonly object[];
  readonly segments: readonly unknown[];
} {
  const segments = new Map<unknown, unknown>();
  for (const { strategies } of unleash.getFeatureToggleDefinitions(true) as FlagWithSegments[]) {
    for (const strategy of strategies ?? []) {
      for (const segment of strategy?.segments ?? []) {
        if (typeof segment === "number") throw new TypeError(NO_SEGMENTS);
        if (isRecord(segment)) segments.set(segment["id"], segment);
      }
    }
  }
  return { features: unleash.getFeatureToggleDefinitions(), segments: [...segments.values()] };
}
