import type { Context, Snapshot } from "flags-engine";
import { hasFlags } from "./bootstrap/bootstrap.ts";
import { createParts } from "./client-parts.ts";
import type { ClientParts } from "./client-parts.ts";
import { Evaluator } from "./evaluation/evaluator.ts";
import type { Fallback } from "./evaluation/evaluator.ts";
import type { FallbackVariant, Variant } from "./evaluation/variant.ts";
import { createClientEmitter } from "./events/client-emitter.ts";
import type { Emitter } from "./events/emitter.ts";
import type { FlagsClientEvents } from "./events/flags-client-events.ts";
import type {
  ApplicationUsage,
  FeatureDefinitions,
  FlagSource,
  BeforeSwapHook,
} from "./flag-source.ts";
import type { FlagsClientOptions } from "./options/flags-client-options.ts";
import type { ApplicationRegistration } from "./metrics/registration-buffer.ts";
import { DEFAULT_QUOTA } from "./metrics/usage-store.ts";
import { resolveOptions } from "./options/resolve-options.ts";
import type { Settings } from "./options/settings.ts";
import { Signal } from "./schedule/signal.ts";
import { describeCause } from "./transport/upstream-error.ts";

const STORAGE_LIMIT_MS = 2000;

/**
 * Keeps the flags of one upstream environment in memory and answers from there: a question is never
 * a request. It survives every fault of the upstream on its last good data and recovers by itself.
 *
 * @example
 * const flags = createFlagsClient({ url: "http://localhost:4242/api", appName: "shop", token });
 * flags.start();
 * await flags.synchronized();
 * if (flags.isEnabled("new-checkout", { userId: "7" })) ...
 */
export class FlagsClient implements FlagSource, AsyncDisposable {
  readonly #settings: Settings;
  readonly #emitter: Emitter<FlagsClientEvents>;
  readonly #parts: ClientParts;
  readonly #evaluator: Evaluator;
  readonly #synchronized = new Signal();
  readonly #restoring = new AbortController();
  #isStarted = false;
  #closing: Promise<void> | undefined;

  /** Throws a `TypeError` that names every bad option. */
  constructor(options: FlagsClientOptions) {
    this.#settings = resolveOptions(options);
    this.#emitter = createClientEmitter();
    this.#parts = createParts(this.#settings, this.#emitter);
    this.#evaluator = this.#createEvaluator();
    this.#emitter.on("synchronized", () => this.#synchronized.resolve());
  }

  get snapshot(): Snapshot | undefined {
    return this.#parts.state.snapshot;
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.#parts.state.definitions;
  }

  get lastFetchAtMs(): number | undefined {
    return this.#parts.feed.lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.#parts.feed.lastUpdateAtMs;
  }

  start(): void {
    if (this.#isStarted || this.#closing !== undefined) return;
    this.#isStarted = true;
    const { synchronizer, bootstrap, registration, reporter } = this.#parts;
    void this.#restore();
    bootstrap?.start();
    synchronizer.start();
    registration?.start();
    reporter?.start();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Resolves once there is data from the upstream or a bootstrap; rejects when closed before. */
  synchronized(): Promise<void> {
    return this.#synchronized.promise;
  }

  /** Whether a flag is on. The fallback is for a flag that is unknown, or before there is data. */
  isEnabled(name: string, context: Context = {}, fallback: Fallback = false): boolean {
    return this.#evaluator.isEnabled(name, context, fallback);
  }

  /** The variant of a flag. The fallback is for whenever it has none for this context. */
  getVariant(name: string, context: Context = {}, fallback?: FallbackVariant): Variant {
    return this.#evaluator.getVariant(name, context, fallback);
  }

  /** The flags as the upstream defines them; empty before there is data. */
  getFeatureDefinitions(): readonly unknown[] {
    return this.definitions?.features ?? [];
  }

  beforeChange(preparation: BeforeSwapHook): () => void {
    return this.#parts.beforeSwapHooks.add(preparation);
  }

  /** True also if this client reports no usage at all; always false once the client is closed. */
  reportUsage(usage: ApplicationUsage): boolean {
    if (!this.#settings.isMetricsEnabled) return true;
    const { usage: store, impactMetrics, drops } = this.#parts;
    if (this.#closing !== undefined || !store.add(usage)) return false;
    const { quotaId = DEFAULT_QUOTA, impactMetrics: metrics = [] } = usage;
    drops.note("impact_metric", impactMetrics.add(quotaId, metrics));
    return true;
  }

  /** Does nothing if this client reports no usage, or does not register. */
  registerApplication(registration: ApplicationRegistration): void {
    if (!this.#settings.isRegistrationEnabled || this.#closing !== undefined) return;
    const { registrations, drops } = this.#parts;
    if (!registrations.add(registration)) drops.note("registration", 1);
  }

  on<Event extends keyof FlagsClientEvents>(
    event: Event,
    listener: FlagsClientEvents[Event],
  ): this {
    this.#emitter.on(event, listener);
    return this;
  }

  off<Event extends keyof FlagsClientEvents>(
    event: Event,
    listener: FlagsClientEvents[Event],
  ): this {
    this.#emitter.off(event, listener);
    return this;
  }

  #createEvaluator(): Evaluator {
    const { appName, environment, isMetricsEnabled } = this.#settings;
    const { state, usage } = this.#parts;
    return new Evaluator({
      snapshot: () => state.snapshot,
      staticContext: { appName, environment },
      emitter: this.#emitter,
      count: (name, enabled, variant) => {
        if (!isMetricsEnabled) return;
        const variants = variant ? Object.fromEntries([[variant, 1]]) : {};
        usage.count(appName, name, { yes: Number(enabled), no: Number(!enabled), variants });
      },
    });
  }

  async #restore(): Promise<void> {
    const { storage, feed } = this.#parts;
    const document = await storage.restore();
    const { signal } = this.#restoring;
    if (document === undefined || !hasFlags(document) || signal.aborted) return;
    try {
      await feed.acceptFrom("storage", document, signal);
    } catch (cause) {
      if (signal.aborted) return;
      this.#emitter.emit("warn", `The stored flags are not usable: ${describeCause(cause)}`);
    }
  }

  async #shutDown(): Promise<void> {
    const { synchronizer, bootstrap, registration, reporter, storage, http } = this.#parts;
    this.#restoring.abort();
    this.#synchronized.reject(new Error("The flags client was closed"));
    await Promise.all([synchronizer.stop(), bootstrap?.stop(), registration?.stop()]);
    await Promise.all([reporter?.close(), storage.settled(STORAGE_LIMIT_MS)]);
    await http.close();
  }
}

/** Makes a client; nothing runs until it is started. Throws when an option is bad. */
export function createFlagsClient(options: FlagsClientOptions): FlagsClient {
  return new FlagsClient(options);
}
