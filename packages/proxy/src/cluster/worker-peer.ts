import type { ToWorker } from "./messages.ts";

/** A worker as the primary process sees it. */
export interface WorkerPeer {
  /** What the log calls it. */
  readonly name: string;
  /** Does nothing when the worker has ended. */
  send(message: ToWorker): void;
}
