import { parseInSteps } from "flags-engine";
import type { CustomStrategy, Snapshot, Steps } from "flags-engine";
import { ClientEventTarget } from "../events.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
  BeforeChangeHook,
  FeatureDefinitions,
  FlagSource,
} from "../flag-source.ts";
import { TimeSlicer } from "../scheduling/time-slicer.ts";
import { Compiler } from "../sync/compiler.ts";
import { Revisions } from "../sync/revision.ts";
import { readJson } from "../transport/read-json.ts";

/** Flags that one process sends to another. */
export interface FlagUpdate {
  /** The revision of the snapshot into which the flags are compiled. */
  readonly revision: string;
  /** The definitions as JSON, the fastest format to transfer between processes. */
  readonly text: string;
}

/** When the upstream last responded to a source, and when it last sent new data. */
export type SyncTimestamps = Pick<FlagSource, "lastFetchAtMs" | "lastUpdateAtMs">;

export interface FlagReplicaOptions {
  readonly strategies: readonly CustomStrategy[];
  /** Forwards usage to the source in the other process, and resolves to its result. */
  readonly reportUsage: (usage: ApplicationUsage) => Promise<boolean>;
  /** Forwards a registration to the source in the other process. */
  readonly registerApplication: (registration: ApplicationRegistration) => void;
}

interface Flags {
  readonly snapshot: Snapshot;
  readonly definitions: FeatureDefinitions;
}

/**
 * A copy of a source that runs in another process. Flags are updated in two steps, `prepare` and
 * `publish`, so that several replicas can switch at the same time. Errors of the upstream and the
 * first synchronization are reported by the source, so a replica does not emit those events.
 */
export class FlagReplica extends ClientEventTarget implements FlagSource {
  readonly #options: FlagReplicaOptions;
  readonly #slicer = new TimeSlicer();
  readonly #revisions = new Revisions();
  readonly #compiler: Compiler;
  #prepared: Flags | undefined;
  #current: Flags | undefined;
  #timestamps: SyncTimestamps = { lastFetchAtMs: undefined, lastUpdateAtMs: undefined };

  constructor(options: FlagReplicaOptions) {
    super();
    this.#options = options;
    this.#compiler = new Compiler({
      strategies: options.strategies,
      now: Date.now,
      random: Math.random,
      onStrategyError: (error) => this.emitter.emit("strategyError", error),
      warn: (message) => this.emitter.emit("warn", message),
    });
  }

  get snapshot(): Snapshot | undefined {
    return this.#current?.snapshot;
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.#current?.definitions;
  }

  get lastFetchAtMs(): number | undefined {
    return this.#timestamps.lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.#timestamps.lastUpdateAtMs;
  }

  /** Does nothing: the source decides when to send flags. */
  start(): void {}

  /** Does nothing: a replica has no resources to release. */
  async close(): Promise<void> {}

  /** Compiles flags of the source; resolves once they can be published. */
  prepare(update: FlagUpdate): Promise<void> {
    return this.#slicer.run(this.#prepare(update));
  }

  /** Replaces the current flags with those prepared last. */
  publish(timestamps: SyncTimestamps): void {
    const previous = this.#current;
    this.#timestamps = timestamps;
    this.#current = this.#prepared ?? previous;
    if (this.#current === undefined || this.#current === previous) return;
    this.emitter.emit("changed", this.#current.snapshot);
    if (previous === undefined) this.emitter.emit("ready");
  }

  /** Must be called when the upstream responded to the source that nothing has changed. */
  unchanged(timestamps: SyncTimestamps): void {
    this.#timestamps = timestamps;
    this.emitter.emit("unchanged");
  }

  beforeChange(hook: BeforeChangeHook): () => void {
    return this.#compiler.addHook(hook);
  }

  reportUsage(usage: ApplicationUsage): Promise<boolean> {
    return this.#options.reportUsage(usage);
  }

  registerApplication(registration: ApplicationRegistration): void {
    this.#options.registerApplication(registration);
  }

  *#prepare({ revision, text }: FlagUpdate): Steps<void> {
    if (revision === this.#current?.snapshot.revision) {
      this.#prepared = this.#current;
      return;
    }
    const received = (yield* readJson(text)) as FeatureDefinitions;
    const definitions = yield* this.#revisions.reuse(received, this.definitions);
    const document = yield* parseInSteps(definitions);
    const snapshot = yield* this.#compiler.compile({ document, revision }, this.snapshot);
    this.#prepared = { snapshot, definitions };
  }
}
