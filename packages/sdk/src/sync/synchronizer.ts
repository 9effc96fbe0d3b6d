import type { Confirmation } from "../transport/confirmation.ts";

export interface Synchronizer {
  /** Starts delivering documents. Never throws: failures are emitted as events. */
  start(): void;
  /** Resolves once no more documents will be delivered. */
  stop(): Promise<void>;
}

/**
 * How to synchronize: fetch whole documents at intervals (`polling`), fetch changes at intervals
 * (`delta`), or receive changes as they happen (`streaming`).
 */
export const SYNCHRONIZATIONS = ["polling", "delta", "streaming"] as const;
export type Synchronization = (typeof SYNCHRONIZATIONS)[number];

export interface SyncSink {
  /** Rejects if the document is unusable or older than the current one, so that it must be fetched again, or if the signal was aborted. */
  accept(document: unknown, signal: AbortSignal, confirmation: Confirmation): Promise<void>;
  unchanged(confirmation: Confirmation): void;
}

export function convertDocuments(
  sink: SyncSink,
  convert: (document: unknown) => unknown,
): SyncSink {
  return {
    accept: (document, ...details) => sink.accept(convert(document), ...details),
    unchanged: (confirmation) => sink.unchanged(confirmation),
  };
}
