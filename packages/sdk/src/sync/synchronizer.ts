/** A way of keeping up with the upstream. */
export interface Synchronizer {
  /** Begins to hand over documents; faults are told, never thrown. */
  start(): void;
  /** Resolves when nothing more will be handed over. */
  stop(): Promise<void>;
}

/** The ways there are: whole documents or changes, asked for at intervals; or changes as they happen. */
export const SYNCHRONIZATIONS = ["polling", "delta", "streaming"] as const;
export type Synchronization = (typeof SYNCHRONIZATIONS)[number];

/** Who a synchronizer hands over to. */
export interface SyncSink {
  /**
   * Takes a whole document; resolves when it is in force. Rejects when it is unusable, and then it
   * has to be asked for again, or when the signal was aborted before: then it is dropped.
   */
  accept(document: unknown, signal: AbortSignal): Promise<void>;
  /** The upstream answered and has nothing new. */
  unchanged(): void;
}
