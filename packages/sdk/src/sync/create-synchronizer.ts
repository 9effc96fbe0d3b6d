import type { FaultSink } from "../events/fault-log.ts";
import type { FeatureFilters, UpstreamApi } from "../transport/upstream-api.ts";
import { createDeltaPolling } from "./delta-polling.ts";
import { filterDocuments } from "./filtered-sink.ts";
import { toOrderedDocument } from "./name-order.ts";
import { createPolling } from "./polling.ts";
import { PollingFallback } from "./polling-fallback.ts";
import { Streaming } from "./streaming.ts";
import type { Synchronization, SyncSink, Synchronizer } from "./synchronizer.ts";

export interface SynchronizerOptions {
  readonly api: UpstreamApi;
  readonly sink: SyncSink;
  /** The filters that `api` sends; applied again here, as not every upstream honours them. */
  readonly filters: FeatureFilters;
  readonly intervalMs: number;
  readonly faults: FaultSink;
  readonly random: () => number;
}

/** Creates what follows the upstream in the chosen way, or by polling while that does not work. */
export function createSynchronizer(
  synchronization: Synchronization,
  unfiltered: SynchronizerOptions,
): Synchronizer {
  const { faults, filters } = unfiltered;
  const sink = filterDocuments(unfiltered.sink, filters, faults.warn);
  const options = { ...unfiltered, sink };
  if (synchronization === "polling") return createPolling(options);
  if (filters.tags.length > 0) return createPollingForTags(synchronization, options);
  return synchronization === "delta"
    ? createDeltaWithFallback(options)
    : createStreamingWithFallback(options);
}

/**
 * Deltas and streams of Unleash ignore tags, and flags do not carry tags by which they could be
 * filtered here: only a poll gives the right flags.
 */
function createPollingForTags(
  synchronization: Synchronization,
  options: SynchronizerOptions,
): Synchronizer {
  const polling = createPolling(options);
  return {
    start: () => {
      options.faults.warn(
        `Upstreams filter by tags only when they are polled: flags are polled, in spite of the synchronization ${synchronization}`,
      );
      polling.start();
    },
    stop: () => polling.stop(),
  };
}

function createDeltaWithFallback(options: SynchronizerOptions): Synchronizer {
  return new PollingFallback({
    ...options,
    createPolling: (sink) => createPolling({ ...options, sink: inOrder(sink) }),
    createPreferred: (hooks) => createDeltaPolling({ ...options, ...hooks }),
  });
}

function createStreamingWithFallback(options: SynchronizerOptions): Synchronizer {
  let streaming: Streaming | undefined;
  return new PollingFallback({
    ...options,
    createPolling: (sink) =>
      createPolling({
        ...options,
        sink: inOrder(sink),
        onStreamingRequested: () => streaming?.resume(),
      }),
    createPreferred: (hooks) => {
      streaming = new Streaming({ ...options, ...hooks });
      return streaming;
    },
  });
}

/** Flags must not change their order, and with it their ETags, by who brings them. */
function inOrder(sink: SyncSink): SyncSink {
  return {
    accept: (document, signal) => sink.accept(toOrderedDocument(document), signal),
    unchanged: () => sink.unchanged(),
  };
}
