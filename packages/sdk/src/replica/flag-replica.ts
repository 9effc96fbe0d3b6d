import { parseInSteps } from "flags-engine";
import type { CustomStrategy, Snapshot, Steps } from "flags-engine";
import { createClientEmitter } from "../events/client-emitter.ts";
import type { FlagsClientEvents } from "../events/flags-client-events.ts";
import type {
  ApplicationUsage,
  FeatureDefinitions,
  FlagSource,
  BeforeSwapHook,
} from "../flag-source.ts";
import { JsonReader } from "../json/json-reader.ts";
import type { ApplicationRegistration } from "../metrics/registration-buffer.ts";
import { SlicedWork } from "../schedule/sliced-work.ts";
import { compile } from "../sync/compile.ts";
import { BeforeSwapHooks } from "../sync/before-swap-hooks.ts";
import { Revisions } from "../sync/revision.ts";

/** Flags as one process hands them to another. */
export interface FlagUpdate {
  /** The revision of the snapshot that they were compiled to. */
  readonly revision: string;
  /** The definitions as JSON: of all forms the one that crosses fastest. */
  readonly text: string;
}

/** When a source heard from its upstream, epoch milliseconds. */
export type SyncTimestamps = Pick<FlagSource, "lastFetchAtMs" | "lastUpdateAtMs">;

/** What a replica needs besides flags. */
export interface FlagReplicaOptions {
  readonly strategies: readonly CustomStrategy[];
  /** Passes usage to the source that is replicated, and resolves to what that one returns. */
  readonly reportUsage: (usage: ApplicationUsage) => Promise<boolean>;
  /** Passes a registration to the source that is replicated. */
  readonly registerApplication: (registration: ApplicationRegistration) => void;
}

interface Flags {
  readonly snapshot: Snapshot;
  readonly definitions: FeatureDefinitions;
}

/**
 * A copy, in this process, of a source that another process keeps up to date. Flags come in two
 * steps, so that several replicas can change over together. What is to be said about the upstream
 * is said by the source: a replica tells neither of faults nor of the first synchronization.
 */
export class FlagReplica implements FlagSource {
  readonly #options: FlagReplicaOptions;
  readonly #emitter = createClientEmitter();
  readonly #work = new SlicedWork();
  readonly #reader = new JsonReader();
  readonly #revisions = new Revisions();
  readonly #beforeSwapHooks = new BeforeSwapHooks();
  #prepared: Flags | undefined;
  #inForce: Flags | undefined;
  #timestamps: SyncTimestamps = { lastFetchAtMs: undefined, lastUpdateAtMs: undefined };

  constructor(options: FlagReplicaOptions) {
    this.#options = options;
  }

  get snapshot(): Snapshot | undefined {
    return this.#inForce?.snapshot;
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.#inForce?.definitions;
  }

  get lastFetchAtMs(): number | undefined {
    return this.#timestamps.lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.#timestamps.lastUpdateAtMs;
  }

  /** Does nothing: the source decides when flags come. */
  start(): void {}

  /** Does nothing: a replica holds nothing that has to be ended. */
  async close(): Promise<void> {}

  /** Compiles flags that the source has in force; resolves when they are waiting for `publish`. */
  prepare(update: FlagUpdate): Promise<void> {
    return this.#work.run(this.#prepare(update));
  }

  /** Puts in force what was prepared last. */
  publish(timestamps: SyncTimestamps): void {
    const former = this.#inForce;
    this.#timestamps = timestamps;
    this.#inForce = this.#prepared ?? former;
    if (this.#inForce === undefined || this.#inForce === former) return;
    this.#emitter.emit("changed", this.#inForce.snapshot);
    if (former === undefined) this.#emitter.emit("ready");
  }

  /** The source was told that there is nothing new. */
  unchanged(timestamps: SyncTimestamps): void {
    this.#timestamps = timestamps;
    this.#emitter.emit("unchanged");
  }

  beforeChange(preparation: BeforeSwapHook): () => void {
    return this.#beforeSwapHooks.add(preparation);
  }

  reportUsage(usage: ApplicationUsage): Promise<boolean> {
    return this.#options.reportUsage(usage);
  }

  registerApplication(registration: ApplicationRegistration): void {
    this.#options.registerApplication(registration);
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

  *#prepare({ revision, text }: FlagUpdate): Steps<void> {
    if (revision === this.#inForce?.snapshot.revision) {
      this.#prepared = this.#inForce;
      return;
    }
    const sent = (yield* this.#reader.read(text)) as FeatureDefinitions;
    const definitions = yield* this.#revisions.reuse(sent, this.definitions);
    const checked = { document: yield* parseInSteps(definitions), definitions, revision };
    this.#prepared = { snapshot: yield* this.#compile(checked), definitions };
  }

  #compile(checked: Parameters<typeof compile>[0]): Steps<Snapshot> {
    const former = this.snapshot;
    const compiling = compile(checked, {
      former,
      strategies: this.#options.strategies,
      now: Date.now,
      random: Math.random,
      onStrategyError: (error) => this.#emitter.emit("strategyError", error),
      warn: (message) => this.#emitter.emit("warn", message),
    });
    return this.#beforeSwapHooks.after(compiling, former);
  }
}
