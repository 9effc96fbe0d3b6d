import { toUpstreamError } from "../transport/upstream-error.ts";
import type { FaultSink } from "../events/fault-log.ts";
import type { FlagFeed } from "./flag-feed.ts";
import { toOrderedDocument } from "./name-order.ts";
import type { Synchronizer } from "./synchronizer.ts";

/**
 * What is used of a client of the official Node SDK: the class `Unleash` of `unleash-client`,
 * version 5.5 or later, fits.
 */
export interface UnleashClient {
  /** Starts fetching flags; a second call does nothing. */
  start(): Promise<void>;
  isSynchronized(): boolean;
  /** The flags, with the ids of their segments. */
  getFeatureToggleDefinitions(): readonly object[];
  /** The flags, with their segments in full. */
  getFeatureToggleDefinitions(withFullSegments: boolean): readonly object[];
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  off(event: string, listener: (...details: unknown[]) => void): unknown;
}

const METHODS = ["start", "isSynchronized", "getFeatureToggleDefinitions", "on", "off"] as const;

/** Whether a value has all the methods of a client of the official Node SDK. */
export function isUnleashClient(value: unknown): value is UnleashClient {
  if (typeof value !== "object" || value === null) return false;
  const client = value as Partial<Record<string, unknown>>;
  return METHODS.every((method) => typeof client[method] === "function");
}

export interface UnleashSynchronizerOptions {
  readonly unleash: UnleashClient;
  readonly feed: Pick<FlagFeed, "accept" | "acceptFrom" | "unchanged">;
  readonly faults: FaultSink;
}

/**
 * Reads the flags of an official client, now and after each of its changes. It starts the client,
 * but does not destroy it: the client belongs to the application.
 */
export class UnleashSynchronizer implements Synchronizer {
  readonly #options: UnleashSynchronizerOptions;
  readonly #stopped = new AbortController();
  readonly #listeners: Readonly<Record<string, (...details: unknown[]) => void>>;

  constructor(options: UnleashSynchronizerOptions) {
    this.#options = options;
    this.#listeners = {
      ready: () => void this.#read(),
      changed: () => void this.#readUpdate(),
      unchanged: () => options.feed.unchanged(),
      error: (cause) => this.#report(cause),
      warn: (cause) => options.faults.warn(toError(cause).message),
    };
  }

  start(): void {
    const { unleash } = this.#options;
    for (const [event, listener] of Object.entries(this.#listeners)) unleash.on(event, listener);
    void this.#read();
    unleash.start().catch((cause: unknown) => this.#report(cause));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    const { unleash } = this.#options;
    for (const [event, listener] of Object.entries(this.#listeners)) unleash.off(event, listener);
  }

  /** Before its first update, the client may have flags from its backup file. */
  async #read(): Promise<void> {
    const { unleash, feed } = this.#options;
    if (unleash.isSynchronized()) return this.#readUpdate();
    return this.#guard(async () => {
      const document = readDocument(unleash);
      if (document.features.length === 0) return;
      await feed.acceptFrom("storage", document, this.#stopped.signal);
    });
  }

  async #readUpdate(): Promise<void> {
    const { unleash, feed } = this.#options;
    return this.#guard(async () => {
      const document = toOrderedDocument(readDocument(unleash));
      await feed.accept(document, this.#stopped.signal);
    });
  }

  /** NOTE: this runs inside an event of the client, which an exception would interrupt. */
  async #guard(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (cause) {
      if (!this.#stopped.signal.aborted) this.#report(toUpstreamError(cause));
    }
  }

  /** NOTE: no `failure` event, as the client does not say which errors are failed requests. */
  #report(cause: unknown): void {
    this.#options.faults.error(toError(cause));
  }
}

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

const NO_SEGMENTS = "This version of unleash-client does not reveal segments: use 5.5 or later";

interface StrategyWithSegments {
  readonly segments?: readonly unknown[] | null;
}

interface FlagWithSegments {
  readonly strategies?: readonly (StrategyWithSegments | null)[] | null;
}

/**
 * The flags as the upstream sent them. The client does not list its segments, so they come from the
 * strategies that use them; one that is not known is `undefined` there, and missing here too.
 */
function readDocument(unleash: UnleashClient): {
  readonly features: readonly object[];
  readonly segments: readonly unknown[];
} {
  const segments = new Map<unknown, unknown>();
  for (const { strategies } of unleash.getFeatureToggleDefinitions(true) as FlagWithSegments[]) {
    for (const strategy of strategies ?? []) {
      for (const segment of strategy?.segments ?? []) {
        if (typeof segment === "number") throw new TypeError(NO_SEGMENTS);
        if (typeof segment !== "object" || segment === null) continue;
        segments.set((segment as { readonly id?: unknown }).id, segment);
      }
    }
  }
  return { features: unleash.getFeatureToggleDefinitions(), segments: [...segments.values()] };
}
