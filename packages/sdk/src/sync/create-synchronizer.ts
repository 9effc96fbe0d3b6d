import type { EventSink } from "../transport/failure-log.ts";
import type { FeatureFilters, UpstreamApi } from "../transport/upstream-api.ts";
import { sortDocument } from "./document-order.ts";
import { createDocumentFilter } from "./filter-documents.ts";
import { createDeltaPolling, createPolling } from "./polling.ts";
import { PollingFallback } from "./polling-fallback.ts";
import { Streaming } from "./streaming.ts";
import { convertDocuments } from "./synchronizer.ts";
import type { Synchronization, SyncSink, Synchronizer } from "./synchronizer.ts";

interface SynchronizerOptions {
  readonly api: UpstreamApi;
  readonly sink: SyncSink;
  /** The filters that `api` sends; applied again here, because not every upstream supports them. */
  readonly filters: FeatureFilters;
  readonly intervalMs: number;
  readonly events: EventSink;
  readonly random: () => number;
  /** Called when a stream starts to deliver flags, and when it ends. */
  readonly onLive: (isLive: boolean) => void;
}

/** Creates a synchronizer. Deltas and streaming fall back to polling while they do not work. */
export function createSynchronizer(
  synchronization: Synchronization,
  unfiltered: SynchronizerOptions,
): Synchronizer {
  const { events, filters } = unfiltered;
  const sink = convertDocuments(unfiltered.sink, createDocumentFilter(filters, events.warn));
  const options = { ...unfiltered, sink };
  if (synchronization === "polling") return createPolling(options);
  if (filters.tags.length > 0) return createPollingForTags(synchronization, options);
  return synchronization === "delta"
    ? createDeltaWithFallback(options)
    : createStreamingWithFallback(options);
}

/**
 * The deltas and streams of Unleash ignore the filter by tags, and flags do not contain their tags,
 * so the client cannot filter by tags either: only polling returns the right flags.
 */
function createPollingForTags(
  synchronization: Synchronization,
  options: SynchronizerOptions,
): Synchronizer {
  const polling = createPolling(options);
  return {
    start: () => {
      options.events.warn(
        `Upstreams filter by tags only when they are polled: polling instead of ${synchronization}`,
      );
      polling.start();
    },
    stop: () => polling.stop(),
  };
}

function createDeltaWithFallback(options: SynchronizerOptions): Synchronizer {
  return new PollingFallback({
    ...options,
    createPolling: (sink) =>
      createPolling({ ...options, sink: convertDocuments(sink, sortDocument) }),
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
        sink: convertDocuments(sink, sortDocument),
        onStreamingRequested: () => streaming?.resume(),
      }),
    createPreferred: (hooks) => {
      streaming = new Streaming({ ...options, ...hooks });
      return streaming;
    },
  });
}
