import { randomUUID } from "node:crypto";
import { type Following, Loop, type Synchronizer } from "flags-sdk/internal";
import { Deadline, describeCause, toUpstreamError } from "flags-sdk/neutral";
import { compareVersions } from "./flag-exchange.ts";
import type {
  FlagExchange,
  OpenExchange,
  PublishedFlags,
  SharedVersion,
  SharingState,
} from "./flag-exchange.ts";
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

const RELEASE_TIMEOUT_MS = 1000;

/**
 * Shares the work of following one upstream among replicas: the holder of a lease does it, the others get its
 * flags from the exchange. While that fails, a replica follows the upstream itself.
 *
 * Flags never become older: each publication has a higher version than the previous ones, only the holder of
 * the lease can publish, and only flags that it has fetched since it took the lease. A replica that has
 * followed the upstream itself stops only if the shared flags equal its own, or if the upstream has confirmed
 * them later.
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
  #run: UpstreamRun | undefined;
  #stoppingRuns: Promise<unknown> = Promise.resolve();
  /** When this replica last failed to reach the upstream, as `performance.now()`. */
  #failedAtMs = -Infinity;
  /** The highest version that this replica has published or accepted, and its revision. */
  #version: SharedVersion | undefined;
  #revision: string | undefined;
  /** Whether the accepted flags counted as confirmed. */
  #isConfirmed = false;
  /** When the shared flags were last fresh, or the upstream failed for all, as `performance.now()`. */
  #usableAtMs = performance.now();
  /** Since when the holder has confirmed nothing, as `performance.now()`; undefined while it does. */
  #holderSilentSinceMs: number | undefined;
  /** When sharing last worked, as `performance.now()`. */
  #sharedAtMs: number | undefined;
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
      if (this.#run === undefined) this.#startRun(undefined);
    }, this.#timing.fallbackDelayMs).unref();
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
    this.#isWoken = false;
    try {
      await this.#share();
      this.#succeeded();
    } catch (cause) {
      if (!this.#abort.signal.aborted) this.#failed(cause);
    }
    const { contactIntervalMs } = this.#timing;
    return this.#isWoken ? 0 : contactIntervalMs * (0.9 + 0.2 * Math.random());
  }

  async #share(): Promise<void> {
    const isFailing = this.#run?.isFailingFor(this.#timing.failingAfterMs) ?? false;
    if (isFailing) this.#failedAtMs = performance.now();
    const { contactTimeoutMs, startTimeoutMs } = this.#timing;
    const limitMs = this.#hasRole ? contactTimeoutMs : startTimeoutMs;
    const state = await this.#limit(limitMs, async (signal) =>
      (await this.#exchange()).contact(
        {
          owner: this.#owner,
          leaseMs: this.#timing.leaseMs,
          wants: this.#wantedLease(),
          knownEpoch: this.#version?.epoch ?? 0,
          ...this.#ages(),
          isFailing,
        },
        signal,
      ),
    );
    if (state.isHolder || this.#isFresh(state)) this.#holderSilentSinceMs = undefined;
    else this.#holderSilentSinceMs ??= performance.now();
    if (state.isHolder) await this.#lead(state);
    else await this.#follow(state);
  }

  async #lead(state: SharingState): Promise<void> {
    // The flags of the previous holder are better than none, and flags of the upstream that were confirmed earlier must
    // not replace them.
    const hasNone = this.#options.current().revision === undefined;
    try {
      if (hasNone && state.version !== undefined) await this.#acceptShared(state);
    } finally {
      this.#lease(state);
    }
    const hasFetched = this.#run?.lastSuccessAtMs !== undefined;
    const isPublished =
      compareVersions(state.version, this.#version) === 0 &&
      this.#options.current().revision === this.#revision;
    if (hasFetched && !isPublished) await this.#publish(state.epoch);
    this.#setRole("holder");
  }

  /** Follows the upstream under the lease. */
  #lease({ epoch }: SharingState): void {
    if (this.#run?.epoch === epoch) return;
    this.#startRun(epoch);
    this.#status = { ...this.#status, takeovers: this.#status.takeovers + 1 };
  }

  async #publish(epoch: number): Promise<void> {
    const { revision, definitions } = this.#options.current();
    if (revision === undefined || definitions === undefined) return;
    const counter = this.#version?.epoch === epoch ? this.#version.counter + 1 : 1;
    const version = { epoch, counter };
    // NOTE: before the publication, because a publication that fails may still have taken effect.
    this.#version = version;
    this.#revision = undefined;
    const isPublished = await this.#limit(this.#timing.transferTimeoutMs, async (signal) =>
      (await this.#exchange()).publish(
        this.#owner,
        { version, revision, definitions, ...this.#agesOfCurrent() },
        signal,
      ),
    );
    if (isPublished) this.#revision = revision;
  }

  async #follow(state: SharingState): Promise<void> {
    if (this.#run !== undefined && !this.#mayReplace(this.#run, state)) {
      this.#setRole("alone");
      return;
    }
    const comparison = compareVersions(state.version, this.#version);
    if (this.#run === undefined) this.#requireUsable(state, comparison);
    const known = this.#run === undefined ? this.#revision : this.#options.current().revision;
    const isPromoted = this.#isFresh(state) && !this.#isConfirmed;
    const isNew = comparison !== 0 || state.revision !== known || isPromoted;
    if (state.version !== undefined && isNew && !(await this.#acceptShared(state))) return;
    if (this.#run !== undefined) this.#usableAtMs = performance.now();
    this.#stopRun();
    this.#setRole("follower");
    const isCurrent = compareVersions(state.version, this.#version) === 0;
    if (isCurrent && this.#isFresh(state)) this.#confirm(state);
  }

  /** @throws {Error} if a follower would have no flags or old ones, although the upstream may respond */
  #requireUsable(state: SharingState, comparison: number): void {
    if (state.version !== undefined && comparison < 0) {
      throw new Error("The store no longer has the latest flags");
    }
    const nowMs = performance.now();
    if (this.#isFresh(state) || state.isHolderFailing) this.#usableAtMs = nowMs;
    const { freshMs, failingAfterMs } = this.#timing;
    const limitMs = this.#options.current().revision === undefined ? failingAfterMs : freshMs;
    if (nowMs - this.#usableAtMs > limitMs) throw new Error("The holder publishes no flags");
  }

  /** Reads the published flags and accepts them. Resolves to false if those of this replica are newer. */
  async #acceptShared(state: SharingState): Promise<boolean> {
    const { sink } = this.#options;
    const shared = await this.#limit(this.#timing.transferTimeoutMs, async (signal) =>
      (await this.#exchange()).read(signal),
    );
    if (shared === undefined) throw new Error("There are no shared flags");
    if (state.isHolder || this.#run === undefined) {
      if (compareVersions(shared.version, this.#version) < 0) return false;
    } else {
      if (!this.#mayReplace(this.#run, { ...state, ...shared })) return false;
      this.#stopRun();
    }
    const isConfirmed = this.#isFresh(state) && !state.isHolder;
    const confirmedAtMs = confirmationTime(state);
    await sink.acceptShared(
      shared.text,
      {
        confirmedAtMs: confirmedAtMs === -Infinity ? undefined : confirmedAtMs,
        isFresh: isConfirmed,
      },
      this.#abort.signal,
    );
    this.#version = shared.version;
    this.#revision = shared.revision;
    this.#isConfirmed = isConfirmed;
    return true;
  }

  /** Whether shared flags may replace those that this replica has fetched itself. */
  #mayReplace({ lastSuccessAtMs }: UpstreamRun, state: SharingState): boolean {
    if (state.version === undefined) return false;
    const { revision, confirmedAtMs = -Infinity } = this.#options.current();
    if (revision === undefined) return true;
    if (!this.#isFresh(state)) return false;
    if (revision === state.revision) return true;
    if (lastSuccessAtMs === undefined && compareVersions(state.version, this.#version) >= 0) {
      return true;
    }
    return confirmationTime(state) > confirmedAtMs + this.#timing.marginMs;
  }

  #confirm(state: SharingState): void {
    const atMs = confirmationTime(state);
    // NOTE: the difference between two computations of the same time is a few milliseconds.
    const { confirmedAtMs = -Infinity } = this.#options.current();
    if (!(atMs - confirmedAtMs >= this.#timing.contactIntervalMs / 2)) return;
    this.#options.sink.confirmed(atMs);
  }

  #isFresh({ epoch, isHolderFailing, confirmedAgeMs = Infinity }: SharingState): boolean {
    return epoch > 0 && !isHolderFailing && confirmedAgeMs <= this.#timing.freshMs;
  }

  /** A replica that reaches the upstream also takes the lease of a holder that publishes nothing. */
  #wantedLease(): "free" | "failing" | "any" {
    const sinceMs = this.#holderSilentSinceMs ?? Infinity;
    const hasFlags = this.#run?.lastSuccessAtMs !== undefined;
    if (hasFlags && performance.now() - sinceMs > this.#timing.freshMs) return "any";
    // Otherwise, replicas would keep taking the lease from each other while the upstream is down.
    const hasFailed = performance.now() - this.#failedAtMs <= this.#timing.takeoverDelayMs;
    return hasFailed ? "free" : "failing";
  }

  /** Returns the ages if what is published is what was confirmed. */
  #ages(): Pick<PublishedFlags, "confirmedAgeMs" | "upstreamAgeMs"> {
    const isPublished = this.#revision === this.#options.current().revision;
    return isPublished && this.#run?.epoch !== undefined
      ? this.#agesOfCurrent()
      : { confirmedAgeMs: undefined, upstreamAgeMs: undefined };
  }

  #agesOfCurrent(): Pick<PublishedFlags, "confirmedAgeMs" | "upstreamAgeMs"> {
    const { lastSuccessAtMs } = this.#run ?? {};
    const { confirmedAtMs } = this.#options.current();
    if (lastSuccessAtMs === undefined)
      return { confirmedAgeMs: undefined, upstreamAgeMs: undefined };
    return {
      confirmedAgeMs: Math.round(performance.now() - lastSuccessAtMs),
      upstreamAgeMs:
        confirmedAtMs === undefined
          ? undefined
          : Math.max(0, Math.ceil(lastSuccessAtMs - confirmedAtMs)),
    };
  }

  #failed(cause: unknown): void {
    const sinceMs = performance.now() - (this.#sharedAtMs ?? -Infinity);
    if (sinceMs < this.#timing.gracePeriodMs) return;
    if (this.#run === undefined) this.#startRun(undefined);
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

  async #limit<T>(timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new Deadline(this.#abort.signal, timeoutMs);
    try {
      return await deadline.race(call(deadline.signal));
    } finally {
      deadline.end();
    }
  }

  #startRun(epoch: number | undefined): void {
    this.#stopRun();
    if (this.#abort.signal.aborted) return;
    const { createSynchronizer, sink, events } = this.#options;
    this.#run = new UpstreamRun({
      epoch,
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
}: SharingState): number {
  return performance.now() - confirmedAgeMs - upstreamAgeMs;
}
