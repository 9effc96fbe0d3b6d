import type { Steps } from "flags-engine";
import { describeCount } from "../describe-count.ts";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import type { FeatureDefinitions, FlagFall } from "../synced-flags.ts";
import type { TimeSlicer } from "../scheduling/time-slicer.ts";
import { readJson } from "../transport/read-json.ts";
import { UpstreamError } from "../transport/upstream-error.ts";
import { describeDiagnostics } from "./compiler.ts";
import type { Acceptance, FlagState, Origin } from "./flag-state.ts";
import { confirmedNow } from "../transport/confirmation.ts";
import type { Confirmation } from "../transport/confirmation.ts";
import type { SyncSink } from "./synchronizer.ts";

interface FlagUpdaterOptions {
  readonly state: FlagState;
  readonly emitter: Emitter<FlagsClientEvents>;
  /** Stores definitions of the upstream. @default they are not stored */
  readonly save?: (definitions: FeatureDefinitions) => void;
  readonly slicer: Pick<TimeSlicer, "run">;
}

/** Updates the state with documents of any origin, in the order in which they arrive, and emits events. */
export class FlagUpdater implements SyncSink {
  readonly #options: FlagUpdaterOptions;
  #lastFetchAtMs: number | undefined;
  #lastUpdateAtMs: number | undefined;
  #confirmedAtMs = -Infinity;
  #fall: FlagFall | undefined;
  #isLive = false;
  #isSynchronized = false;
  #isReady = false;

  constructor(options: FlagUpdaterOptions) {
    this.#options = options;
  }

  get lastFetchAtMs(): number | undefined {
    return this.#lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.#lastUpdateAtMs;
  }

  get state(): FlagState {
    return this.#options.state;
  }

  get confirmedAtMs(): number | undefined {
    return this.#confirmedAtMs === -Infinity ? undefined : this.#confirmedAtMs;
  }

  get fall(): FlagFall | undefined {
    return this.#fall;
  }

  get size(): number {
    return this.#options.state.snapshot?.flags.length ?? 0;
  }

  setHeldBack(isHeldBack: boolean): void {
    const isKnown = this.#fall?.isHeldBack === true;
    if (isHeldBack === isKnown) return;
    this.#setFall(
      isHeldBack ? { before: this.size, after: 0, atMs: Date.now(), isHeldBack } : undefined,
    );
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  setLive(isLive: boolean): void {
    if (this.#isLive === isLive) return;
    this.#isLive = isLive;
    this.#options.emitter.emit("live", isLive);
  }

  accept(
    document: unknown,
    signal: AbortSignal,
    confirmation: Confirmation = confirmedNow(),
  ): Promise<void> {
    return this.#options.slicer.run(this.#accept(document, "upstream", confirmation), signal);
  }

  /**
   * Accepts a document that is not from the upstream; ignored once there is one from the upstream.
   *
   * @param ageMs how long ago the upstream confirmed it; default: that is not known
   */
  acceptFrom(
    origin: "store" | "bootstrap",
    document: unknown,
    signal: AbortSignal,
    ageMs: number = Infinity,
  ): Promise<void> {
    const atMs = performance.now() - ageMs;
    return this.#options.slicer.run(
      this.#accept(document, origin, { atMs, isRelayed: false }),
      signal,
    );
  }

  /**
   * Accepts flags that another replica received from the upstream.
   *
   * @param confirmedAtMs when they were confirmed, as `performance.now()`; `-Infinity` if that is not known
   */
  acceptShared(text: string, confirmedAtMs: number, signal: AbortSignal): Promise<void> {
    return this.#options.slicer.run(this.#acceptShared(text, confirmedAtMs), signal);
  }

  unchanged(confirmation: Confirmation = confirmedNow()): void {
    this.#confirmed(confirmation.atMs, Date.now());
  }

  /** Called if the upstream responded to another replica at this time, as `performance.now()`, that nothing has changed. */
  confirmed(atMs: number): void {
    this.setHeldBack(false);
    this.#confirmed(atMs, this.#toEpochMs(atMs));
  }

  #confirmed(atMs: number, fetchedAtMs: number): void {
    this.#lastFetchAtMs = fetchedAtMs;
    this.#confirmedAtMs = Math.max(this.#confirmedAtMs, atMs);
    this.#options.emitter.emit("unchanged");
  }

  *#acceptShared(text: string, atMs: number): Steps<void> {
    yield* this.#accept(yield* readJson(text), "shared", { atMs, isRelayed: false });
  }

  *#accept(document: unknown, origin: Origin, confirmation: Confirmation): Steps<void> {
    const { state, emitter } = this.#options;
    const { atMs, isRelayed, isNext = false } = confirmation;
    const before = this.size;
    const isOlder = isRelayed && !isNext && atMs < this.#confirmedAtMs;
    const acceptance = yield* state.accept(document, origin, isOlder);
    if (acceptance === "older") throw olderFlags(this.#confirmedAtMs - atMs);
    if (acceptance === "outranked") return;
    // The confirmation of the same flags by an upstream that is behind does not make them older.
    const isSame = acceptance === "unchanged";
    this.#confirmedAtMs = isSame ? Math.max(this.#confirmedAtMs, atMs) : atMs;
    if (origin === "shared") this.setHeldBack(false);
    if (acceptance === "changed") this.#compareSize(before);
    if (origin === "upstream" || origin === "shared") {
      this.#lastFetchAtMs = origin === "upstream" ? Date.now() : this.#toEpochMs(Math.max(atMs, 0));
      if (acceptance === "changed" || this.#lastUpdateAtMs === undefined) this.#updated();
      if (acceptance === "unchanged") emitter.emit("unchanged");
    }
    this.#emitEvents(acceptance, origin);
  }

  /** NOTE: only for people; ages do not use the system clock, which can be changed. */
  #toEpochMs(atMs: number): number {
    return Date.now() - Math.round(performance.now() - atMs);
  }

  #compareSize(before: number): void {
    const { size } = this;
    if (isFall(before, size)) {
      this.#setFall({ before, after: size, atMs: Date.now(), isHeldBack: false });
    } else if (this.#fall !== undefined && !isFall(this.#fall.before, size)) {
      this.#setFall(undefined);
    }
  }

  #setFall(fall: FlagFall | undefined): void {
    const { emitter } = this.#options;
    this.#fall = fall;
    if (fall !== undefined) emitter.emit("warn", describeFall(fall));
    emitter.emit("fall", fall);
  }

  #updated(): void {
    const { state, save } = this.#options;
    this.#lastUpdateAtMs = this.#lastFetchAtMs;
    if (state.definitions !== undefined) save?.(state.definitions);
  }

  #emitEvents(acceptance: Acceptance, origin: Origin): void {
    const { emitter, state } = this.#options;
    if (state.snapshot === undefined) return;
    if (acceptance === "changed") {
      for (const message of describeDiagnostics(state.snapshot)) emitter.emit("warn", message);
      emitter.emit("changed", state.snapshot);
    }
    if (origin !== "store") this.#emitSynchronized(origin === "shared" ? "upstream" : origin);
    if (!this.#isReady) {
      this.#isReady = true;
      emitter.emit("ready");
    }
  }

  #emitSynchronized(origin: "bootstrap" | "upstream"): void {
    if (this.#isSynchronized) return;
    this.#isSynchronized = true;
    this.#options.emitter.emit("synchronized", origin);
  }
}

/** Whether the number of flags falls so far that it is probably a mistake: to none, or below half. */
function isFall(before: number, after: number): boolean {
  return before > 0 && (after === 0 || after < before / 2);
}

function describeFall({ before, after, isHeldBack }: FlagFall): string {
  return isHeldBack
    ? `The upstream sends no flags, after ${describeCount(before, "flag")}: those are kept until it has confirmed that three times. Check the upstream and its database`
    : `The number of flags has fallen from ${before} to ${after}: check the upstream if that is not intended`;
}

const SECOND_MS = 1000;

function olderFlags(byMs: number): UpstreamError {
  const by = byMs === Infinity ? "" : ` ${Math.ceil(byMs / SECOND_MS)} s`;
  return new UpstreamError(
    `The upstream sent other flags, which were confirmed${by} earlier than the current ones: they are ignored. If several proxies share its address, one of them is behind`,
    { code: "OLDER" },
  );
}
