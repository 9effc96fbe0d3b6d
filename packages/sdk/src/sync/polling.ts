import type { EventSink } from "../transport/failure-log.ts";
import { RetryingTask } from "../transport/retrying-task.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { DeltaDocument } from "./delta-document.ts";
import { pollOnce } from "./poll-once.ts";
import type { PreferredOptions } from "./polling-fallback.ts";
import type { SyncSink, Synchronizer } from "./synchronizer.ts";

interface PollingOptions {
  readonly api: Pick<UpstreamApi, "fetchFeatures">;
  readonly sink: SyncSink;
  /** Milliseconds between polls; 0: poll until the first success, then never again. */
  readonly intervalMs: number;
  readonly events: EventSink;
}

export function createPolling({ api, sink, intervalMs, events }: PollingOptions): Synchronizer {
  let etag: string | undefined;
  return new RetryingTask({
    subject: "Fetching flags",
    attempt: async (signal) => {
      etag = await pollOnce(api, sink, etag, signal);
    },
    intervalMs,
    isRepeated: intervalMs > 0,
    events,
  });
}

export function createDeltaPolling(
  options: PreferredOptions & { readonly api: Pick<UpstreamApi, "fetchDelta"> },
): Synchronizer {
  const { api, onFailure, intervalMs, events } = options;
  const document = new DeltaDocument(options);
  let etag: string | undefined;
  return new RetryingTask({
    subject: "Fetching changes of flags",
    attempt: async (signal) => {
      const fetched = await api.fetchDelta(document.isHydrated ? etag : undefined, signal);
      signal.throwIfAborted();
      if (fetched.document === undefined) {
        await document.unchanged(signal, fetched.confirmation);
        return;
      }
      await document.apply(fetched.document, signal, fetched.confirmation);
      etag = fetched.etag;
    },
    intervalMs,
    isRepeated: intervalMs > 0,
    events: {
      ...events,
      failure: (error) => {
        events.failure(error);
        onFailure(error);
      },
    },
  });
}
