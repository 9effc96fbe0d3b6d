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
  return new PollingFallback({
    ...options,
    createPolling: (sink) => createPolling({ ...options, sink: inOrder(sink) }),
    createPreferred: (hooks) =>
      synchronization === "delta"
        ? createDeltaPolling({ ...options, ...hooks })
        : new Streaming({ ...options, ...hooks }),
  });
}

/** Flags must not change their order, and with it their ETags, by who brings them. */
function inOrder(sink: SyncSink): SyncSink {
  return {
    accept: (document, signal) => sink.accept(toOrderedDocument(document), signal),
    unchanged: () => sink.unchanged(),
  };
}
