import { parseInSteps } from "flags-engine";
import type { CustomStrategy, Snapshot, Steps } from "flags-engine";
import type { BeforeChangeHook, FeatureDefinitions, FlagFall, FlagOrigin } from "flags-sdk";
import type { FlagSource } from "../upstream/flag-source.ts";
import { ClientEventTarget, Compiler, readJson, Revisions, TimeSlicer } from "flags-sdk/internal";
import type {
  ApplicationRegistration,
  ApplicationUsage,
} from "../upstream/usage/application-usage.ts";

/** Flags that one process sends to another. */
export interface FlagUpdate {
  /** The revision of the snapshot into which the flags are compiled. */
  readonly revision: string;
  /** The definitions as JSON, the fastest format to transfer between processes. */
  readonly text: string;
}

/** How current the flags of a source are, in a form that is valid in every process. */
export interface SyncStatus {
  /** As in `FlagSource`. */
  readonly lastFetchAtMs: number | undefined;
  readonly lastUpdateAtMs: number | undefined;
  readonly origin?: FlagOrigin | undefined;
  readonly isLive?: boolean;
  readonly fall?: FlagFall | undefined;
  /** The flags that `ageMs` is about. */
  readonly revision?: string | undefined;
  /** Milliseconds since these flags were last confirmed; undefined if never. */
  readonly ageMs?: number | undefined;
}

/** Flags of a source, and when they were last confirmed, as `performance.now()`. */
export interface ConfirmedFlags {
  readonly revision: string | undefined;
  readonly confirmedAtMs: number | undefined;
}

/** Returns the current status of a source, for a replica that has these flags of it. */
export function toSyncStatus(
  source: FlagSource,
  { revision, confirmedAtMs }: ConfirmedFlags,
): SyncStatus {
  const { lastFetchAtMs, lastUpdateAtMs, origin, isLive = false, fall } = source;
  const ageMs = confirmedAtMs === undefined ? undefined : performance.now() - confirmedAtMs;
  return { lastFetchAtMs, lastUpdateAtMs, origin, isLive, fall, revision, ageMs };
}

const UNKNOWN: SyncStatus = { lastFetchAtMs: undefined, lastUpdateAtMs: undefined };

export interface FlagReplicaOptions {
  readonly strategies: readonly CustomStrategy[];
  /** Forwards usage to the source in the other process, and resolves to its result. */
  readonly reportUsage: (usage: ApplicationUsage) => Promise<boolean>;
  /** Forwards a registration to the source in the other process, and resolves when it was accepted. */
  readonly registerApplication: (registration: ApplicationRegistration) => Promise<void>;
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
  #status = UNKNOWN;
  #confirmedAtMs: number | undefined;

  constructor(options: FlagReplicaOptions) {
    super();
    this.#options = options;
    this.#compiler = new Compiler(options.strategies, this.emitter);
  }

  get snapshot(): Snapshot | undefined {
    return this.#current?.snapshot;
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.#current?.definitions;
  }

  get lastFetchAtMs(): number | undefined {
    return this.#status.lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.#status.lastUpdateAtMs;
  }

  get origin(): FlagOrigin | undefined {
    return this.#status.origin;
  }

  get confirmedAtMs(): number | undefined {
    return this.#confirmedAtMs;
  }

  get isLive(): boolean {
    return this.#status.isLive ?? false;
  }

  get fall(): FlagFall | undefined {
    return this.#status.fall;
  }

  /** Does nothing: the source decides when to send flags. */
  start(): void {}

  /** Does nothing: a replica has no resources to release. */
  async close(): Promise<void> {}

  /**
   * Compiles flags of the source; resolves once they can be published. If it rejects, the current flags
   * stay.
   */
  prepare(update: FlagUpdate): Promise<void> {
    return this.#slicer.run(this.#prepare(update));
  }

  /** Replaces the current flags with those prepared last. */
  publish(status: SyncStatus): void {
    const previous = this.#current;
    this.#current = this.#prepared ?? previous;
    this.update(status);
    if (this.#current === undefined || this.#current === previous) return;
    this.emitter.emit("changed", this.#current.snapshot);
    if (previous === undefined) this.emitter.emit("ready");
  }

  /** Must be called when the upstream has confirmed to the source that nothing has changed. */
  unchanged(status: SyncStatus): void {
    this.update(status);
    this.emitter.emit("unchanged");
  }

  /** Records the status of the source. The confirmation of other flags than the current ones does not count. */
  update(status: SyncStatus): void {
    this.#status = status;
    const { revision, ageMs } = status;
    if (revision !== this.#current?.snapshot.revision) return;
    this.#confirmedAtMs = ageMs === undefined ? undefined : performance.now() - ageMs;
  }

  beforeChange(hook: BeforeChangeHook): () => void {
    return this.#compiler.addHook(hook);
  }

  reportUsage(usage: ApplicationUsage): Promise<boolean> {
    return this.#options.reportUsage(usage);
  }

  registerApplication(registration: ApplicationRegistration): Promise<void> {
    return this.#options.registerApplication(registration);
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
