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
  // The deltas and streams of Unleash ignore the filter by tags, and flags do not contain their tags.
  const isPolling = synchronization === "polling" || filters.tags.length > 0;
  if (isPolling) return createPolling(options);
  return new PollingFallback({
    ...options,
    createPolling: (polled) =>
      createPolling({ ...options, sink: convertDocuments(polled, sortDocument) }),
    createPreferred: (hooks) =>
      synchronization === "delta"
        ? createDeltaPolling({ ...options, ...hooks })
        : new Streaming({ ...options, ...hooks }),
  });
}
