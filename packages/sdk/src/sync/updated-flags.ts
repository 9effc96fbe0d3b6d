import type { Snapshot } from "flags-engine";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import type {
  BeforeChangeHook,
  FeatureDefinitions,
  FlagFall,
  FlagOrigin,
} from "../synced-flags.ts";
import type { Compiler } from "./compiler.ts";
import type { FlagUpdater } from "./flag-updater.ts";

export abstract class SourceEvents {
  protected abstract readonly emitter: Emitter<FlagsClientEvents>;

  on<Event extends keyof FlagsClientEvents>(
    event: Event,
    listener: FlagsClientEvents[Event],
  ): this {
    this.emitter.on(event, listener);
    return this;
  }

  off<Event extends keyof FlagsClientEvents>(
    event: Event,
    listener: FlagsClientEvents[Event],
  ): this {
    this.emitter.off(event, listener);
    return this;
  }
}

/** The members of `SyncedFlags` about flags that an updater updates. */
export abstract class UpdatedFlags extends SourceEvents {
  protected abstract readonly compiler: Compiler;
  protected abstract readonly updater: FlagUpdater;

  get snapshot(): Snapshot | undefined {
    return this.updater.state.snapshot;
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.updater.state.definitions;
  }

  get lastFetchAtMs(): number | undefined {
    return this.updater.lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.updater.lastUpdateAtMs;
  }

  get origin(): FlagOrigin | undefined {
    return this.updater.state.origin;
  }

  get confirmedAtMs(): number | undefined {
    return this.updater.confirmedAtMs;
  }

  get isLive(): boolean {
    return this.updater.isLive;
  }

  get fall(): FlagFall | undefined {
    return this.updater.fall;
  }

  beforeChange(hook: BeforeChangeHook): () => void {
    return this.compiler.addHook(hook);
  }
}
