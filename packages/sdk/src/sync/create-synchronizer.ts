import type { FaultSink } from "../events/fault-log.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { createDeltaPolling } from "./delta-polling.ts";
import { toOrderedDocument } from "./name-order.ts";
import { createPolling } from "./polling.ts";
import { PollingFallback } from "./polling-fallback.ts";
import { Streaming } from "./streaming.ts";
import type { Synchronization, SyncSink, Synchronizer } from "./synchronizer.ts";

export interface SynchronizerOptions {
  readonly api: UpstreamApi;
  readonly sink: SyncSink;
  readonly intervalMs: number;
  readonly faults: FaultSink;
  readonly random: () => number;
}

/** Makes what keeps up with the upstream in the wanted way, or by polling while that fails. */
export function createSynchronizer(
  synchronization: Synchronization,
  options: SynchronizerOptions,
): Synchronizer {
  if (synchronization === "polling") return createPolling(options);
  const { sink } = options;
  const accept: SyncSink["accept"] = (document, signal) =>
    sink.accept(toOrderedDocument(document), signal);
  // Flags must not change their order, and with it their ETags, by who brings them.
  const standIn = { ...options, sink: { accept, unchanged: () => sink.unchanged() } };
  return new PollingFallback({
    ...options,
    createPolling: () => createPolling(standIn),
    createPreferred: (hooks) =>
      synchronization === "delta"
        ? createDeltaPolling({ ...options, ...hooks })
        : new Streaming({ ...options, ...hooks }),
  });
}
