import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Following, Loop, type Synchronizer } from "flags-sdk/internal";
import { Deadline, describeCause, toUpstreamError } from "flags-sdk/neutral";
import type { FlagExchange, OpenExchange, SharedAges, SharingState } from "./flag-exchange.ts";
import { sharingTiming, type SharingTiming } from "./sharing-timing.ts";
import { UpstreamRun } from "./upstream-run.ts";

/**
 * - `holder`: has the lease, follows the upstream and publishes its flags.
 * - `follower`: gets its flags from the holder.
 * - `alone`: follows the upstream itself, because flags cannot be shared.
 */
export type SharingRole = "holder" | "follower" | "alone";

/** How a source shares its flags with other replicas. */
export interface SharingStatus {
  readonly role: SharingRole;
  /** How often it has taken the lease. */
  readonly takeovers: number;
  /** When the exchange last worked, epoch milliseconds. */
  readonly lastContactAtMs: number | undefined;
}

interface SharedSynchronizerOptions extends Following {
  /** Rejects if the exchange cannot be opened. */
  readonly openExchange: OpenExchange;
  /** Called whenever the role changes. */
  readonly onRole: (role: SharingRole) => void;
}

/** How long to wait for the first contact before following the upstream directly. */
const FALLBACK_DELAY_MS = 1000;
/** Maximum time for the first contact, including the connection. */
const START_TIMEOUT_MS = 5000;
const RELEASE_TIMEOUT_MS = 1000;
/** A replica that takes the lease fetches all flags, which causes the next contact: what keeps taking it must not cause a loop. */
const MIN_CONTACT_INTERVAL_MS = 100;

/**
 * Shares the work of following one upstream among replicas: the holder of a lease does it, the others get its
 * flags from the exchange. While that fails, a replica follows the upstream itself.
 *
 * Flags never become older: only the holder of the lease can publish, and only flags that it has fetched since it took
 * the lease. A replica that has followed the upstream itself stops only if the shared flags equal its own, or if the
 * upstream has confirmed them later.
 */
export class SharedSynchronizer implements Synchronizer {
  readonly #options: SharedSynchronizerOptions;
  readonly #timing: SharingTiming;
  readonly #owner: string = randomUUID();
  readonly #abort = new AbortController();
  readonly #loop = new Loop(
    () => this.#iterate(),
    (error) => this.#options.events.error(toUpstreamError(error)),
  );
  #unsubscribe: (() => void) | undefined;
  #startTimer: NodeJS.Timeout | undefined;
  #isWoken = false;
  /** As `performance.now()`. */
  #contactedAtMs = -Infinity;
  #run: UpstreamRun | undefined;
  #stoppingRuns: Promise<unknown> = Promise.resolve();
  /** Whether the run was started under the lease that this replica has. */
  #isLeased = false;
  /** When this replica last failed to reach the upstream, as `performance.now()`. */
  #failedAtMs = -Infinity;
  /** The latest flags that this replica has published or got from the exchange. */
  #version = 0;
  #revision: string | undefined;
  /** When the shared flags were last fresh, or the upstream failed for all, as `performance.now()`. */
  #usableAtMs = performance.now();
  /** When sharing last worked, as `performance.now()`. */
  #sharedAtMs = -Infinity;
  #status: SharingStatus = { role: "alone", takeovers: 0, lastContactAtMs: undefined };
  #hasRole = false;
  /** Whether the current failure was logged. */
  #hasFailed = false;

  constructor(options: SharedSynchronizerOptions) {
    this.#options = options;
    this.#timing = sharingTiming(options.intervalMs, Math.random);
  }

  get status(): SharingStatus {
    return this.#status;
  }

  start(): void {
    this.#startTimer = setTimeout(() => {
      if (this.#run === undefined) this.#startRun();
    }, FALLBACK_DELAY_MS).unref();
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    clearTimeout(this.#startTimer);
    this.#abort.abort(new Error("Sharing was stopped"));
    this.#stopRun();
    await Promise.all([this.#loop.stop(), this.#stoppingRuns]);
    if (this.#status.role === "holder") await this.#release();
  }

  async #exchange(): Promise<FlagExchange> {
    const exchange = await this.#options.openExchange();
    if (!this.#abort.signal.aborted) this.#unsubscribe ??= exchange.onChange(() => this.#wake());
    return exchange;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  async #iterate(): Promise<number | undefined> {
    const { signal } = this.#abort;
    const waitMs = this.#contactedAtMs + MIN_CONTACT_INTERVAL_MS - performance.now();
    if (waitMs > 0) await delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return undefined;
    this.#isWoken = false;
    this.#contactedAtMs = performance.now();
    try {
      const state = await this.#contact();
      if (state.lease === "other") await this.#follow(state);
      else await this.#lead(state);
      this.#succeeded();
    } catch (cause) {
      if (!signal.aborted) this.#failed(cause);
    }
    const { contactIntervalMs } = this.#timing;
    return this.#isWoken ? 0 : contactIntervalMs * (0.9 + 0.2 * Math.random());
  }

  #contact(): Promise<SharingState> {
    const { contactTimeoutMs, failingAfterMs, leaseMs, takeoverDelayMs } = this.#timing;
    const isFailing = this.#run?.isFailingFor(failingAfterMs) ?? false;
    const nowMs = performance.now();
    if (isFailing) this.#failedAtMs = nowMs;
    const request = {
      owner: this.#owner,
      leaseMs,
      // Otherwise, replicas would keep taking the lease from each other while the upstream is down.
      takesFromFailing: nowMs - this.#failedAtMs > takeoverDelayMs,
      isFailing,
      revision: this.#options.current().revision,
      ...this.#ages(),
    };
    return this.#limit(this.#hasRole ? contactTimeoutMs : START_TIMEOUT_MS, (exchange, signal) =>
      exchange.contact(request, signal),
    );
  }

  async #lead({ lease, version = 0, revision: shared, nextVersion }: SharingState): Promise<void> {
    if (lease === "taken" || !this.#isLeased) {
      this.#startRun();
      this.#isLeased = true;
      this.#status = { ...this.#status, takeovers: this.#status.takeovers + 1 };
    }
    const { revision, definitions } = this.#options.current();
    const hasFetched = this.#run?.lastSuccessAtMs !== undefined;
    if (hasFetched && revision !== undefined && definitions !== undefined && revision !== shared) {
      this.#version = Math.max(nextVersion, version + 1, this.#version + 1);
      const flags = { version: this.#version, revision, definitions, ...this.#ages() };
      await this.#limit(this.#timing.transferTimeoutMs, (exchange, signal) =>
        exchange.publish(this.#owner, flags, signal),
      );
    }
    this.#setRole("holder");
  }

  async #follow(state: SharingState): Promise<void> {
    this.#isLeased = false;
    const isFresh = this.#isFresh(state);
    if (this.#run === undefined) {
      this.#requireUsable(state);
    } else if (!isFresh || !this.#mayReplaceOwn(state)) {
      this.#setRole("alone");
      return;
    }
    if (isFresh) {
      const hasFetched = this.#run?.lastSuccessAtMs !== undefined;
      const known = hasFetched ? this.#options.current().revision : this.#revision;
      if (state.revision === known) this.#confirm(state);
      else await this.#acceptShared(state);
      this.#version = Math.max(this.#version, state.version ?? 0);
      this.#revision = state.revision;
    }
    this.#usableAtMs = performance.now();
    this.#stopRun();
    this.#setRole("follower");
  }

  /** @throws {Error} if a follower would have no flags or old ones, although the upstream may respond */
  #requireUsable(state: SharingState): void {
    const nowMs = performance.now();
    if (this.#isFresh(state) || state.isHolderFailing) this.#usableAtMs = nowMs;
    const { freshMs, failingAfterMs } = this.#timing;
    const limitMs = this.#options.current().revision === undefined ? failingAfterMs : freshMs;
    if (nowMs - this.#usableAtMs > limitMs) throw new Error("The holder publishes no flags");
  }

  async #acceptShared(state: SharingState): Promise<void> {
    const { sink } = this.#options;
    const { version, text } = await this.#limit(
      this.#timing.transferTimeoutMs,
      (exchange, signal) => exchange.read(signal),
    );
    if (version < this.#version) throw new Error("The store no longer has the latest flags");
    this.#stopRun();
    await sink.acceptShared(text, confirmationTime(state), this.#abort.signal);
    this.#version = version;
  }

  /** Whether shared flags may replace those of this replica, which follows the upstream itself. */
  #mayReplaceOwn(state: SharingState): boolean {
    const { revision, confirmedAtMs = -Infinity } = this.#options.current();
    return (
      this.#run?.lastSuccessAtMs === undefined ||
      revision === state.revision ||
      confirmationTime(state) > confirmedAtMs + this.#timing.marginMs
    );
  }

  #confirm(state: SharingState): void {
    const atMs = confirmationTime(state);
    // NOTE: the difference between two computations of the same time is a few milliseconds.
    const { confirmedAtMs = -Infinity } = this.#options.current();
    if (!(atMs - confirmedAtMs >= this.#timing.contactIntervalMs / 2)) return;
    this.#options.sink.confirmed(atMs);
  }

  #isFresh({ revision, isHolderFailing, confirmedAgeMs = Infinity }: SharingState): boolean {
    return revision !== undefined && !isHolderFailing && confirmedAgeMs <= this.#timing.freshMs;
  }

  /** Returns the ages of the current flags; unknown ones unless they were fetched under the lease. */
  #ages(): SharedAges {
    const fetchedAtMs = this.#isLeased ? this.#run?.lastSuccessAtMs : undefined;
    if (fetchedAtMs === undefined) return { confirmedAgeMs: undefined, upstreamAgeMs: undefined };
    const { confirmedAtMs } = this.#options.current();
    return {
      confirmedAgeMs: Math.round(performance.now() - fetchedAtMs),
      upstreamAgeMs:
        confirmedAtMs === undefined
          ? undefined
          : Math.max(0, Math.ceil(fetchedAtMs - confirmedAtMs)),
    };
  }

  #failed(cause: unknown): void {
    if (performance.now() - this.#sharedAtMs < this.#timing.gracePeriodMs) return;
    if (this.#run === undefined) this.#startRun();
    this.#setRole("alone");
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.events.warn(
      `Flags are not shared with other replicas, and this one fetches its own: ${describeCause(cause)}`,
    );
  }

  #succeeded(): void {
    this.#sharedAtMs = performance.now();
    this.#status = { ...this.#status, lastContactAtMs: Date.now() };
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.#options.events.warn("Flags are shared with other replicas again");
  }

  #setRole(role: SharingRole): void {
    if (this.#hasRole && role === this.#status.role) return;
    this.#hasRole = true;
    clearTimeout(this.#startTimer);
    this.#status = { ...this.#status, role };
    this.#options.onRole(role);
  }

  async #limit<T>(
    timeoutMs: number,
    call: (exchange: FlagExchange, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = new Deadline(this.#abort.signal, timeoutMs);
    try {
      return await deadline.race(
        this.#exchange().then((exchange) => call(exchange, deadline.signal)),
      );
    } finally {
      deadline.end();
    }
  }

  #startRun(): void {
    this.#stopRun();
    if (this.#abort.signal.aborted) return;
    const { createSynchronizer, sink, events } = this.#options;
    this.#run = new UpstreamRun({
      createSynchronizer,
      sink,
      events,
      onSuccess: (isDocument) => {
        this.#failedAtMs = -Infinity;
        if (isDocument) this.#wake();
      },
    });
    this.#run.start();
  }

  #stopRun(): void {
    if (this.#run === undefined) return;
    this.#stoppingRuns = Promise.all([this.#stoppingRuns, this.#run.stop()]);
    this.#run = undefined;
  }

  async #release(): Promise<void> {
    const deadline = new Deadline(new AbortController().signal, RELEASE_TIMEOUT_MS);
    try {
      const released = this.#exchange().then((exchange) =>
        exchange.release(this.#owner, deadline.signal),
      );
      await deadline.race(released);
    } catch {
      // The lease expires anyway.
    }
    deadline.clear();
  }
}

/** When the shared flags were confirmed, as `performance.now()`; `-Infinity` if that is not known. */
function confirmationTime({
  confirmedAgeMs = Infinity,
  upstreamAgeMs = Infinity,
}: SharedAges): number {
  return performance.now() - confirmedAgeMs - upstreamAgeMs;
}
