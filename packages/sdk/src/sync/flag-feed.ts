import type { Steps } from "flags-engine";
import type { Emitter } from "../events/emitter.ts";
import type { FlagsClientEvents } from "../events/flags-client-events.ts";
import type { FeatureDefinitions } from "../flag-source.ts";
import type { SlicedWork } from "../schedule/sliced-work.ts";
import { describeDiagnostics } from "./compile.ts";
import type { Acceptance, FlagState, Origin } from "./flag-state.ts";
import type { SyncSink } from "./synchronizer.ts";

type OtherOrigin = Exclude<Origin, "upstream">;

export interface FlagFeedOptions {
  readonly state: FlagState;
  readonly emitter: Emitter<FlagsClientEvents>;
  /** Keeps what the upstream sent for the next start. */
  readonly save: (definitions: FeatureDefinitions) => void;
  readonly now: () => number;
  readonly work: SlicedWork;
}

/**
 * Puts documents of every origin in force, one after the other as they came, and tells what that
 * changed.
 */
export class FlagFeed implements SyncSink {
  readonly #options: FlagFeedOptions;
  #lastFetchAtMs: number | undefined;
  #lastUpdateAtMs: number | undefined;
  #isSynchronized = false;
  #isReady = false;

  constructor(options: FlagFeedOptions) {
    this.#options = options;
  }

  get lastFetchAtMs(): number | undefined {
    return this.#lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.#lastUpdateAtMs;
  }

  accept(document: unknown, signal: AbortSignal): Promise<void> {
    return this.#options.work.run(this.#accept(document), signal);
  }

  /** Takes data from elsewhere; it counts only while the upstream has not answered. */
  acceptFrom(origin: OtherOrigin, document: unknown, signal: AbortSignal): Promise<void> {
    return this.#options.work.run(this.#acceptFrom(origin, document), signal);
  }

  unchanged(): void {
    this.#lastFetchAtMs = this.#options.now();
    this.#options.emitter.emit("unchanged");
  }

  *#accept(document: unknown): Steps<void> {
    const acceptance = yield* this.#options.state.accept(document, "upstream");
    this.#lastFetchAtMs = this.#options.now();
    if (acceptance === "changed" || this.#lastUpdateAtMs === undefined) this.#updated();
    if (acceptance === "unchanged") this.#options.emitter.emit("unchanged");
    this.#tell(acceptance, "upstream");
  }

  *#acceptFrom(origin: OtherOrigin, document: unknown): Steps<void> {
    this.#tell(yield* this.#options.state.accept(document, origin), origin);
  }

  #updated(): void {
    const { state, save } = this.#options;
    this.#lastUpdateAtMs = this.#lastFetchAtMs;
    if (state.definitions !== undefined) save(state.definitions);
  }

  #tell(acceptance: Acceptance, origin: Origin): void {
    const { emitter, state } = this.#options;
    if (acceptance === "outranked" || state.snapshot === undefined) return;
    if (acceptance === "changed") {
      for (const message of describeDiagnostics(state.snapshot)) emitter.emit("warn", message);
      emitter.emit("changed", state.snapshot);
    }
    if (origin !== "storage") this.#synchronized(origin);
    if (!this.#isReady) {
      this.#isReady = true;
      emitter.emit("ready");
    }
  }

  #synchronized(origin: Exclude<Origin, "storage">): void {
    if (this.#isSynchronized) return;
    this.#isSynchronized = true;
    this.#options.emitter.emit("synchronized", origin);
  }
}
