import type { FaultSink } from "../events/fault-log.ts";
import { PersistentTask } from "../schedule/persistent-task.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import type { SyncSink, Synchronizer } from "./synchronizer.ts";

export interface PollingOptions {
  readonly api: Pick<UpstreamApi, "fetchFeatures">;
  readonly sink: SyncSink;
  /** 0: ask until there was an answer, and then never again. */
  readonly intervalMs: number;
  readonly faults: FaultSink;
  readonly random: () => number;
  /** Called after every response by which the upstream asks clients to stream instead. */
  readonly onStreamingRequested?: () => void;
}

/** Asks the upstream at intervals whether there is something new. */
export function createPolling(options: PollingOptions): Synchronizer {
  const { api, sink, intervalMs, faults, random, onStreamingRequested } = options;
  let etag: string | undefined;
  const poll = async (signal: AbortSignal): Promise<void> => {
    const fetched = await api.fetchFeatures(etag, signal);
    signal.throwIfAborted();
    if (fetched.document === undefined) sink.unchanged();
    else await sink.accept(fetched.document, signal);
    // Only now: an ETag remembered for a document that was refused would keep it from ever coming.
    etag = fetched.etag;
    if (fetched.fetchMode === "streaming") onStreamingRequested?.();
  };
  const isRepeated = intervalMs > 0;
  const subject = "Fetching flags";
  return new PersistentTask({ subject, attempt: poll, intervalMs, isRepeated, faults, random });
}
