import type { Confirmation } from "../transport/confirmation.ts";

/** Keeps flags synchronized with the upstream in one of several ways. */
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

/** Receives the documents of a synchronizer. */
export interface SyncSink {
  /**
   * Accepts a whole document; resolves once its snapshot is the current one. Rejects if the document
   * is unusable or older than the current one, in which case it must be fetched again, or if the signal was
   * aborted before.
   */
  accept(document: unknown, signal: AbortSignal, confirmation: Confirmation): Promise<void>;
  /** Called if the upstream responded that nothing has changed. */
  unchanged(confirmation: Confirmation): void;
}

/** Wraps a sink so that it receives converted documents. */
export function convertDocuments(
  sink: SyncSink,
  convert: (document: unknown) => unknown,
): SyncSink {
  return {
    accept: (document, ...details) => sink.accept(convert(document), ...details),
    unchanged: (confirmation) => sink.unchanged(confirmation),
  };
}
