import { type CustomStrategy, runToEnd, type Steps } from "flags-engine";
import {
  Compiler,
  convertDocuments,
  createDocumentFilter,
  createIdentity,
  Emitter,
  type EventSink,
  FailureLog,
  type FeatureFilters,
  FlagState,
  FlagUpdater,
  type FlagsClientEvents,
  HoldBack,
  HttpClient,
  nextDelayMs,
  pollOnce,
  type SyncSink,
  toEventSink,
  toUpstreamError,
  UpdatedFlags,
  UpstreamApi,
} from "flags-sdk/neutral";
import type { FlagSource } from "../upstream/flag-source.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
} from "../upstream/usage/application-usage.ts";
import { FETCH_CONNECTIONS } from "./fetch-connections.ts";
import type { Defer } from "./fetch-info.ts";
import { OnDemandUsage } from "./on-demand-usage.ts";
import type { SharedFlags, SourceCache } from "./source-cache.ts";

interface OnDemandSourceOptions {
  readonly url: URL;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly filters: FeatureFilters;
  readonly strategies: readonly CustomStrategy[];
  readonly appName: string;
  /** @default a random one */
  readonly instanceId: string | undefined;
  readonly timeoutMs: number;
  /** 0: flags are loaded once. */
  readonly refreshIntervalMs: number;
  /** Requests wait for a refresh of flags that are older. Undefined: they never do. */
  readonly maxStalenessMs: number | undefined;
  readonly metricsIntervalMs: number;
  /** Keeps flags where other isolates find them. Undefined: only in memory. */
  readonly cache: SourceCache | undefined;
}

/** A load of the flags, which all requests share. It belongs to none of them. */
interface Load {
  /** Resolves when there are flags that are good enough, or the load has ended. */
  readonly usable: Promise<void>;
  readonly done: Promise<void>;
  /** Afterwards, the runtime has cut it off with the request that started it. */
  readonly untilMs: number;
  readonly abort: AbortController;
}

/** How long a request waits for flags. */
const MAX_WAIT_MS = 5000;

/** The time for the cache and for compiling, in addition to that for the upstream. */
const MAX_OTHER_MS = 5000;

/**
 * The flags of an upstream, without timers: requests cause their refresh. A request gets the flags in memory, and
 * flags that are due are refreshed after the response. It waits only while there are no flags, or too old ones.
 */
export class OnDemandSource extends UpdatedFlags implements FlagSource {
  protected override readonly emitter: Emitter<FlagsClientEvents>;
  protected override readonly compiler: Compiler;
  protected override readonly updater: FlagUpdater;
  readonly #options: OnDemandSourceOptions;
  readonly #sink: SyncSink;
  readonly #events: EventSink;
  readonly #log: FailureLog;
  readonly #usage: OnDemandUsage;
  readonly #api: UpstreamApi;
  #load: Load | undefined;
  #nextAtMs = -Infinity;
  /** That of the flags in memory, or of flags that are held back. */
  #etag: string | undefined;

  constructor(options: OnDemandSourceOptions) {
    super();
    this.#options = options;
    const emitter: Emitter<FlagsClientEvents> = new Emitter((event, cause) => {
      if (event !== "error") emitter.emit("error", toUpstreamError(cause));
    });
    this.emitter = emitter;
    const events = toEventSink(emitter);
    this.#events = events;
    this.#log = new FailureLog("Fetching flags", events);
    this.compiler = new Compiler(options.strategies, emitter, "");
    this.updater = new FlagUpdater({
      state: new FlagState({ bootstrapOverrides: false, compiler: this.compiler }),
      emitter,
      slicer: IMMEDIATELY,
    });
    const { updater } = this;
    // If flags are loaded only once, nothing can confirm them later.
    const sink =
      options.refreshIntervalMs === 0 ? updater : new HoldBack({ sink: updater, updater, events });
    this.#sink = convertDocuments(sink, createDocumentFilter(options.filters, events.warn));
    const { appName, instanceId = crypto.randomUUID(), timeoutMs } = options;
    const identity = createIdentity({ appName, instanceId });
    const { token, headers: customHeaders } = options;
    const credentials = { token, customHeaders, customHeadersFunction: undefined };
    const api = new UpstreamApi({
      ...options,
      http: new HttpClient({ connections: FETCH_CONNECTIONS, timeoutMs }),
      slicer: IMMEDIATELY,
      identity,
      credentials,
    });
    this.#api = api;
    this.#usage = new OnDemandUsage({
      api,
      identity,
      credentials,
      events,
      intervalMs: options.metricsIntervalMs,
      snapshot: () => this.snapshot,
      onSent: (report) => emitter.emit("sent", report),
    });
  }

  start(): void {}

  /** Nothing runs between requests. */
  async close(): Promise<void> {}

  /** Returns false if a limit is exceeded. If usage is not reported, returns true and discards the usage. */
  reportUsage(usage: ApplicationUsage): boolean {
    return this.#usage.report(usage);
  }

  registerApplication(registration: ApplicationRegistration): void {
    this.#usage.register(registration);
  }

  sendUsage(defer: Defer): void {
    this.#usage.sendIfDue(defer);
  }

  /** Starts to refresh flags that are due. After a failure, they are not due until the next attempt. */
  refresh(defer: Defer): void {
    const nowMs = performance.now();
    if (this.#load !== undefined && nowMs > this.#load.untilMs) {
      this.#load.abort.abort();
      this.#load = undefined;
    }
    if (this.#load === undefined && nowMs >= this.#nextAtMs) this.#startLoad(nowMs);
    // NOTE: each request keeps it going, because the first one may be cut off.
    if (this.#load !== undefined) defer(this.#load.done);
  }

  /**
   * Returns a promise if a request must wait for a refresh that is going on, because there are no flags, or too old ones.
   * It is fulfilled after five seconds at most, whether there are flags or not.
   */
  untilUsable(): Promise<void> | undefined {
    const load = this.#load;
    if (load === undefined || this.#isUsable()) return undefined;
    return settledWithin(load.usable, MAX_WAIT_MS);
  }

  #startLoad(nowMs: number): void {
    const abort = new AbortController();
    let done = Promise.resolve();
    const usable = new Promise<void>((resolve) => {
      done = this.#run(abort.signal, resolve).then(() => {
        if (this.#load?.abort === abort) this.#load = undefined;
        resolve();
      });
    });
    const untilMs = nowMs + this.#options.timeoutMs + MAX_OTHER_MS;
    this.#load = { usable, done, untilMs, abort };
  }

  /** Never rejects. */
  async #run(signal: AbortSignal, onUsable: () => void): Promise<void> {
    const { refreshIntervalMs: intervalMs } = this.#options;
    let nextAtMs: number;
    try {
      nextAtMs = await this.#refresh(signal, onUsable);
      if (signal.aborted) return;
      this.#log.succeeded();
    } catch (thrown) {
      if (signal.aborted) return;
      const error = toUpstreamError(thrown);
      this.#log.failed(error);
      const failures = Math.max(1, this.#log.consecutiveFailures);
      const { retryAfterMs } = error;
      nextAtMs = performance.now() + nextDelayMs({ intervalMs, failures, retryAfterMs });
    }
    this.#nextAtMs = nextAtMs;
  }

  /** Returns when the flags are due again, as `performance.now()`. */
  async #refresh(signal: AbortSignal, onUsable: () => void): Promise<number> {
    const intervalMs = this.#options.refreshIntervalMs || Infinity;
    const cached = await this.#adoptCached(signal);
    const dueAtMs = (cached?.confirmedAtMs ?? -Infinity) + intervalMs;
    if (dueAtMs > performance.now()) return dueAtMs;
    if (this.#isUsable()) onUsable();
    this.#etag = await pollOnce(this.#api, this.#sink, this.#etag, signal);
    onUsable();
    await this.#share(signal);
    return performance.now() + intervalMs;
  }

  async #adoptCached(signal: AbortSignal): Promise<SharedFlags | undefined> {
    const { confirmedAtMs } = this;
    const { cache, refreshIntervalMs } = this.#options;
    const isUseful =
      this.snapshot === undefined || cache?.savesRequests(refreshIntervalMs) === true;
    const cached = isUseful ? await cache?.getNewer(confirmedAtMs, this.#events) : undefined;
    if (cached === undefined) return undefined;
    try {
      await this.updater.acceptShared(cached.text, cached.confirmedAtMs, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const { message } = toUpstreamError(thrown);
      this.emitter.emit("warn", `Ignoring the flags in the cache: ${message}`);
      return undefined;
    }
    this.#etag = cached.etag;
    return cached;
  }

  async #share(signal: AbortSignal): Promise<void> {
    const { definitions, confirmedAtMs, fall } = this;
    // NOTE: the ETag of flags that are held back does not belong to those in memory.
    if (definitions === undefined || confirmedAtMs === undefined || fall?.isHeldBack === true)
      return;
    if (signal.aborted) return;
    const etag = this.#etag;
    await this.#options.cache?.put({ definitions, etag, confirmedAtMs }, this.#events);
  }

  #isUsable(): boolean {
    const { maxStalenessMs } = this.#options;
    if (this.snapshot === undefined) return false;
    if (maxStalenessMs === undefined) return true;
    const { confirmedAtMs = -Infinity } = this;
    return performance.now() - confirmedAtMs <= maxStalenessMs;
  }
}

/** Runs work at once: a slice that another request would have to continue may never be continued. */
const IMMEDIATELY = {
  async run<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    return runToEnd(steps);
  },
};

async function settledWithin(work: Promise<void>, timeMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
