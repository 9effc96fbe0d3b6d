import type { Steps } from "flags-engine";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import type { FeatureDefinitions, FlagOrigin } from "../flag-source.ts";
import type { TimeSlicer } from "../scheduling/time-slicer.ts";
import { readJson } from "../transport/read-json.ts";
import { describeDiagnostics } from "./compiler.ts";
import type { Acceptance, FlagState, Origin } from "./flag-state.ts";
import type { SyncSink } from "./synchronizer.ts";

type OtherOrigin = Exclude<Origin, "upstream" | "shared">;

interface FlagUpdaterOptions {
  readonly state: FlagState;
  readonly emitter: Emitter<FlagsClientEvents>;
  /** Stores the definitions from the upstream for the next start. */
  readonly save: (definitions: FeatureDefinitions) => void;
  readonly now: () => number;
  readonly slicer: TimeSlicer;
}

/** Updates the state with documents of any origin, in the order in which they arrive, and emits events. */
export class FlagUpdater implements SyncSink {
  readonly #options: FlagUpdaterOptions;
  #lastFetchAtMs: number | undefined;
  #lastUpdateAtMs: number | undefined;
  #confirmedAtMs: number | undefined;
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

  get origin(): FlagOrigin | undefined {
    return this.#options.state.origin;
  }

  /** As in `FlagSource`. */
  get confirmedAtMs(): number | undefined {
    return this.#confirmedAtMs;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /** Records whether the upstream sends changes as they happen. */
  setLive(isLive: boolean): void {
    if (this.#isLive === isLive) return;
    this.#isLive = isLive;
    this.#options.emitter.emit("live", isLive);
  }

  accept(document: unknown, signal: AbortSignal): Promise<void> {
    return this.#options.slicer.run(this.#accept(document), signal);
  }

  /**
   * Accepts a document that is not from the upstream; ignored once there is one from the upstream.
   *
   * @param ageMs how long ago the upstream confirmed it; undefined if that is not known
   */
  acceptFrom(
    origin: OtherOrigin,
    document: unknown,
    signal: AbortSignal,
    ageMs?: number,
  ): Promise<void> {
    return this.#options.slicer.run(this.#acceptFrom(origin, document, ageMs), signal);
  }

  /**
   * Accepts flags that another replica received. They count as those of the upstream if it confirmed them at
   * this time, as `performance.now()`, otherwise as restored ones.
   */
  acceptShared(
    text: string,
    confirmedAtMs: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#options.slicer.run(this.#acceptShared(text, confirmedAtMs), signal);
  }

  unchanged(): void {
    this.confirmed(performance.now());
  }

  /** Called if the upstream responded at this time, as `performance.now()`, that nothing has changed. */
  confirmed(atMs: number): void {
    this.#setConfirmed(atMs);
    this.#options.emitter.emit("unchanged");
  }

  *#acceptShared(text: string, confirmedAtMs: number | undefined): Steps<void> {
    const document = yield* readJson(text);
    if (confirmedAtMs === undefined) yield* this.#acceptFrom("store", document);
    else yield* this.#accept(document, "shared", confirmedAtMs);
  }

  *#accept(
    document: unknown,
    origin: "upstream" | "shared" = "upstream",
    confirmedAtMs?: number,
  ): Steps<void> {
    const acceptance = yield* this.#options.state.accept(document, origin);
    this.#setConfirmed(confirmedAtMs ?? performance.now());
    if (acceptance === "changed" || this.#lastUpdateAtMs === undefined) this.#updated();
    if (acceptance === "unchanged") this.#options.emitter.emit("unchanged");
    this.#emitEvents(acceptance, origin);
  }

  *#acceptFrom(origin: OtherOrigin, document: unknown, ageMs?: number): Steps<void> {
    const acceptance = yield* this.#options.state.accept(document, origin);
    if (acceptance !== "outranked") {
      this.#confirmedAtMs = ageMs === undefined ? undefined : performance.now() - ageMs;
    }
    this.#emitEvents(acceptance, origin);
  }

  #setConfirmed(atMs: number): void {
    this.#lastFetchAtMs = this.#options.now() - Math.round(performance.now() - atMs);
    // NOTE: does not use the system clock, which can be changed.
    this.#confirmedAtMs = atMs;
  }

  #updated(): void {
    const { state, save } = this.#options;
    this.#lastUpdateAtMs = this.#lastFetchAtMs;
    if (state.definitions !== undefined) save(state.definitions);
  }

  #emitEvents(acceptance: Acceptance, origin: Origin): void {
    const { emitter, state } = this.#options;
    if (acceptance === "outranked" || state.snapshot === undefined) return;
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
