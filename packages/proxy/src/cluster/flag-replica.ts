import { parseInSteps } from "flags-engine";
import type { CustomStrategy, Snapshot, Steps } from "flags-engine";
import type { BeforeChangeHook, FeatureDefinitions, FlagFall, FlagOrigin } from "flags-sdk";
import { createSourceEmitter, HOST_NAME } from "flags-sdk/internal";
import { Compiler, readJson, Revisions, SourceEvents, TimeSlicer } from "flags-sdk/neutral";
import type { SourceFailure } from "../sources/sources.ts";
import type { FlagSource } from "../upstream/flag-source.ts";

/** Flags that one process sends to another. */
export interface FlagUpdate {
  readonly revision: string;
  /** The definitions as JSON, the fastest format to transfer between processes. */
  readonly text: string;
}

/** How current the flags of a source are, in a form that is valid in every process. */
export interface SyncStatus extends Pick<
  FlagSource,
  "lastFetchAtMs" | "lastUpdateAtMs" | "origin" | "fall"
> {
  readonly isLive?: boolean | undefined;
  readonly failure: SourceFailure | undefined;
  /** The flags that the age is about, which may not be published yet. */
  readonly revision: string | undefined;
  /** Milliseconds since they were last confirmed. */
  readonly ageMs: number | undefined;
}

/** What a status is sent for: the prepared flags become the current ones, or the upstream has no changes. */
export type SyncEvent = "publish" | "unchanged";

export interface FlagReplicaOptions {
  readonly strategies: readonly CustomStrategy[];
  readonly reportUsage: FlagSource["reportUsage"];
  readonly registerApplication: NonNullable<FlagSource["registerApplication"]>;
}

interface Flags {
  readonly snapshot: Snapshot;
  readonly definitions: FeatureDefinitions;
}

/**
 * A copy of a source in another process. `prepare` and `update` are two steps, so that several replicas switch at the
 * same time. Errors of the upstream and the first synchronization are reported by the source.
 */
export class FlagReplica extends SourceEvents implements FlagSource {
  protected override readonly emitter: ReturnType<typeof createSourceEmitter> =
    createSourceEmitter();
  // Set by `update()` only.
  snapshot: Snapshot | undefined;
  definitions: FeatureDefinitions | undefined;
  lastFetchAtMs: number | undefined;
  lastUpdateAtMs: number | undefined;
  origin: FlagOrigin | undefined;
  confirmedAtMs: number | undefined;
  isLive = false;
  fall: FlagFall | undefined;
  failure: SourceFailure | undefined;
  readonly reportUsage: FlagReplicaOptions["reportUsage"];
  readonly registerApplication: FlagReplicaOptions["registerApplication"];
  readonly #slicer = new TimeSlicer();
  readonly #revisions = new Revisions();
  readonly #compiler: Compiler;
  #prepared: Flags | undefined;

  constructor({ strategies, reportUsage, registerApplication }: FlagReplicaOptions) {
    super();
    this.#compiler = new Compiler(strategies, this.emitter, HOST_NAME);
    this.reportUsage = reportUsage;
    this.registerApplication = registerApplication;
  }

  start(): void {}

  async close(): Promise<void> {}

  /**
   * Compiles flags of the source; resolves once they can be published. If it rejects, the current flags
   * stay.
   */
  prepare(update: FlagUpdate): Promise<void> {
    return this.#slicer.run(this.#prepare(update));
  }

  update({ revision, ageMs, isLive = false, ...status }: SyncStatus, event?: SyncEvent): void {
    const previous = this.snapshot;
    if (event === "publish") Object.assign(this, this.#prepared);
    Object.assign(this, status, { isLive });
    if (revision === this.snapshot?.revision) {
      this.confirmedAtMs = ageMs === undefined ? undefined : performance.now() - ageMs;
    }
    if (event === "unchanged") this.emitter.emit("unchanged");
    if (this.snapshot === undefined || this.snapshot === previous) return;
    this.emitter.emit("changed", this.snapshot);
    if (previous === undefined) this.emitter.emit("ready");
  }

  beforeChange(hook: BeforeChangeHook): () => void {
    return this.#compiler.addHook(hook);
  }

  *#prepare({ revision, text }: FlagUpdate): Steps<void> {
    const { snapshot: current, definitions: previous } = this;
    this.#prepared = undefined;
    if (revision === current?.revision) return;
    const received = (yield* readJson(text)) as FeatureDefinitions;
    const definitions = yield* this.#revisions.reuse(received, previous);
    const document = yield* parseInSteps(definitions);
    const snapshot = yield* this.#compiler.compile({ document, revision }, current);
    this.#prepared = { snapshot, definitions };
  }
}
