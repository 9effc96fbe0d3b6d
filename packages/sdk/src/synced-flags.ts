import type { Snapshot, Steps, StrategyError } from "flags-engine";

/** The flag definitions as the upstream sent them. Only for clients that may read them. */
export interface FeatureDefinitions {
  readonly version: number;
  readonly features: readonly unknown[];
  readonly segments: readonly unknown[];
}

/** How often one flag was on and off, and how often each of its variants was returned. */
export interface FeatureUsage {
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
}

/**
 * Where the flags of a source come from: the upstream, a bootstrap until the upstream responds, a store or
 * storage provider that kept them across a restart, another replica that follows the upstream for this
 * one, or a file.
 */
export type FlagOrigin = "upstream" | "bootstrap" | "store" | "shared" | "file";

/** A fall of the number of flags to none, or below half. */
export interface FlagFall {
  readonly before: number;
  readonly after: number;
  /** When it was noticed, epoch milliseconds. */
  readonly atMs: number;
  /** Whether the previous flags are still in use, until the upstream has confirmed that there are none. */
  readonly isHeldBack: boolean;
}

/** Events of a source of flags, with the parameters of their listeners. */
export interface FlagSourceEvents {
  /** The first usable data from any origin (storage, bootstrap or upstream) is available. */
  ready: () => void;
  /** The first data from the upstream or a bootstrap is available. Emitted once. */
  synchronized: (origin: "bootstrap" | "upstream") => void;
  /** A new snapshot has replaced the previous one. */
  changed: (snapshot: Snapshot) => void;
  /** The upstream responded that nothing has changed. */
  unchanged: () => void;
  /** `fall` has changed. */
  fall: (fall: FlagFall | undefined) => void;
  /** `isLive` has changed. */
  live: (isLive: boolean) => void;
  /** An error that needs attention. The source keeps serving the last good data. */
  error: (error: Error) => void;
  /** A problem that is expected to resolve itself, or that needs no immediate action. */
  warn: (message: string) => void;
  /** A custom strategy failed and was treated as not matching. Emitted for every failure. */
  strategyError: (error: StrategyError) => void;
}

/** Work on a snapshot before it replaces the previous one, in steps. Must not throw. */
export type BeforeChangeHook = (snapshot: Snapshot, previous: Snapshot | undefined) => Steps<void>;

/** Keeps a snapshot of one upstream environment up to date. */
export interface SyncedFlags {
  /** The current data; undefined until the first data is available. */
  readonly snapshot: Snapshot | undefined;
  /** The definitions that `snapshot` was compiled from. */
  readonly definitions: FeatureDefinitions | undefined;
  /** When the upstream last responded to a request for flags, epoch milliseconds. */
  readonly lastFetchAtMs: number | undefined;
  /** When the upstream last sent new data, epoch milliseconds. */
  readonly lastUpdateAtMs: number | undefined;
  /** Where the current data comes from; undefined until there is any. Optional. */
  readonly origin?: FlagOrigin | undefined;
  /**
   * When the current data was last confirmed to be up to date, as `performance.now()` of this process, so
   * that changes of the clock have no effect; undefined if never. Optional.
   */
  readonly confirmedAtMs?: number | undefined;
  /**
   * Whether changes arrive as they happen. Data from files, and of a source without an `origin`, is then up to date at
   * any time; other data is as old as `confirmedAtMs` says. Optional.
   */
  readonly isLive?: boolean;
  /** The last fall of the number of flags, until there are as many again as half of those before. Optional. */
  readonly fall?: FlagFall | undefined;
  /** Starts synchronizing; later calls have no effect. Never throws: errors are emitted as events. */
  start(): void;
  /** Stops synchronizing and sends the pending usage. Later calls have no effect. */
  close(): Promise<void>;
  on<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this;
  off<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this;
  /**
   * Registers work to be done on each new snapshot before it replaces the previous one, in steps
   * between which the event loop runs, so that the first request does not have to wait for it.
   * Returns a function that removes the hook. Optional.
   */
  beforeChange?(hook: BeforeChangeHook): () => void;
}
