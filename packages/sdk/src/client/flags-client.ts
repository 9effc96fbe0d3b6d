import type { Context, Explanation } from "flags-engine";
import { Evaluator } from "../evaluation/evaluator.ts";
import type { Fallback } from "../evaluation/evaluator.ts";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import type { SyncedFlags } from "../synced-flags.ts";
import type { FlagsClientOptions } from "../options/flags-client-options.ts";
import { resolveOptions } from "../options/resolve-options.ts";
import type { PageFlags } from "../rendering/page-flags.ts";
import type { FallbackVariant, Variant } from "../rendering/variant.ts";
import type { Settings } from "../options/resolve-options.ts";
import { UpdatedFlags } from "../sync/updated-flags.ts";
import type { Compiler } from "../sync/compiler.ts";
import type { FlagUpdater } from "../sync/flag-updater.ts";
import type { UpstreamConnection } from "./connect-upstream.ts";
import { describeCause } from "../transport/upstream-error.ts";
import { createSourceEmitter } from "./source-emitter.ts";
import { createComponents } from "./client-components.ts";
import type { ClientComponents, ClientParts } from "./client-components.ts";

const STORAGE_TIMEOUT_MS = 2000;

/** What flags-proxy needs of a client to send usage to the same upstream. */
export interface Attachment {
  readonly settings: Settings;
  readonly upstream: UpstreamConnection;
  readonly compiler: Compiler;
  readonly updater: FlagUpdater;
  readonly emitter: Emitter<FlagsClientEvents>;
  /** Keeps the connections of the client open until these calls have ended. */
  readonly closeAfter: (calls: Promise<unknown>) => void;
}

/** Returns what is needed to make further calls with the connections of a client. */
export let attachTo: (client: FlagsClient) => Attachment;

/**
 * Keeps the flags of one upstream environment in memory and evaluates them locally: an evaluation is
 * never a request. If the upstream fails, the client keeps serving the last valid flags, and
 * recovers automatically.
 *
 * @example
 * const flags = createFlagsClient({ url: "http://localhost:4242/api", appName: "shop", token });
 * flags.start();
 * await flags.synchronized();
 * if (flags.isEnabled("new-checkout", { userId: "7" })) ...
 */
export class FlagsClient extends UpdatedFlags implements SyncedFlags, AsyncDisposable {
  protected override readonly emitter: Emitter<FlagsClientEvents> = createSourceEmitter();
  protected override readonly compiler: Compiler;
  protected override readonly updater: FlagUpdater;
  readonly #settings: Settings;
  readonly #components: ClientComponents;
  readonly #evaluator: Evaluator;
  readonly #synchronized: Promise<void>;
  readonly #closed = new AbortController();
  static {
    attachTo = (client) => ({
      settings: client.#settings,
      upstream: client.#components.upstream,
      compiler: client.compiler,
      updater: client.updater,
      emitter: client.emitter,
      closeAfter: (calls) => {
        client.#otherCalls = calls;
      },
    });
  }

  #isStarted = false;
  #otherCalls: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /**
   * @param parts used only by flags-proxy
   * @throws {TypeError} if options are invalid; the message names all of them
   */
  constructor(options: FlagsClientOptions, parts: ClientParts = {}) {
    super();
    this.#settings = resolveOptions(options);
    this.#components = createComponents(this.#settings, this.emitter, parts);
    this.compiler = this.#components.compiler;
    this.updater = this.#components.updater;
    this.#evaluator = this.#createEvaluator();
    this.#synchronized = new Promise((resolve, reject) => {
      this.emitter.on("synchronized", () => resolve());
      const fail = (): void => reject(new Error("The flags client was closed"));
      this.#closed.signal.addEventListener("abort", fail);
    });
    // The application may not wait for it.
    this.#synchronized.catch(() => undefined);
  }

  start(): void {
    if (this.#isStarted || this.#closing !== undefined) return;
    this.#isStarted = true;
    const { synchronizer, bootstrap, usage } = this.#components;
    this.#warnOfTags();
    this.#components.storage.restore((document, ageMs) => this.#restore(document, ageMs));
    bootstrap?.start();
    synchronizer.start();
    usage.start();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Resolves once there is data from the upstream or a bootstrap; rejects if the client is closed first. */
  synchronized(): Promise<void> {
    return this.#synchronized;
  }

  /** Returns whether a flag is on. Uses the fallback if the flag is unknown or there is no data yet. */
  isEnabled(name: string, context: Context = {}, fallback: Fallback = false): boolean {
    return this.#evaluator.isEnabled(name, context, fallback);
  }

  /** Returns the variant of a flag. Uses the fallback if there is no variant for this context. */
  getVariant(name: string, context: Context = {}, fallback?: FallbackVariant): Variant {
    return this.#evaluator.getVariant(name, context, fallback);
  }

  /**
   * Evaluates all flags for one context, for a page that is rendered on a server: what clients in the browser start with, and
   * methods that read flags. Only what these methods read counts as an evaluation.
   *
   * @throws {Error} if there is no data yet
   * @example
   * const flags = client.evaluate({ userId: "7" });
   * const html = `<script>window.FLAGS = ${serializeForScript(flags.bootstrap)}</script>`;
   */
  evaluate(context: Context = {}): PageFlags {
    return this.#evaluator.evaluateAll(context);
  }

  /**
   * Explains the result of a flag: which of its conditions the context meets, and one sentence. Does not count
   * as an evaluation. Returns undefined if the flag is unknown or there is no data yet.
   */
  explain(name: string, context: Context = {}): Explanation | undefined {
    return this.#evaluator.explain(name, context);
  }

  /** Returns the flags as the upstream sent them; an empty list until there are any. */
  getFeatureDefinitions(): readonly unknown[] {
    return this.definitions?.features ?? [];
  }

  /** Sends the pending usage now instead of after the interval. */
  sendUsage(): void {
    this.#components.usage.send();
  }

  #warnOfTags(): void {
    const { synchronization, filters } = this.#settings;
    if (filters.tags.length === 0 || synchronization === "polling") return;
    this.emitter.emit(
      "warn",
      `Upstreams filter by tags only when they are polled: polling instead of ${synchronization}`,
    );
  }

  #createEvaluator(): Evaluator {
    const { appName, environment } = this.#settings;
    const { updater, usage } = this.#components;
    return new Evaluator({
      snapshot: () => updater.state.snapshot,
      staticContext: { appName, environment },
      emitter: this.emitter,
      count: (name, enabled, variant) => usage.count(name, enabled, variant),
    });
  }

  async #restore(document: unknown, ageMs: number | undefined): Promise<void> {
    const { updater } = this.#components;
    const { signal } = this.#closed;
    // NOTE: unlike a bootstrap, a document without flags is accepted, because the upstream has confirmed it.
    if (signal.aborted) return;
    try {
      await updater.acceptFrom("store", document, signal, ageMs);
    } catch (cause) {
      if (signal.aborted) return;
      this.emitter.emit("warn", `The stored flags are not usable: ${describeCause(cause)}`);
    }
  }

  async #shutDown(): Promise<void> {
    const { synchronizer, bootstrap, usage, storage, upstream } = this.#components;
    this.#closed.abort();
    const usageSent = usage.close();
    await Promise.all([synchronizer.stop(), bootstrap?.stop()]);
    await Promise.all([usageSent, storage.flush(STORAGE_TIMEOUT_MS)]);
    await this.#otherCalls;
    await upstream.http.close();
  }
}

/**
 * Creates a client, which must be started with `start()`.
 *
 * @throws {TypeError} if options are invalid; the message names all of them
 */
export function createFlagsClient(options: FlagsClientOptions): FlagsClient {
  return new FlagsClient(options);
}
