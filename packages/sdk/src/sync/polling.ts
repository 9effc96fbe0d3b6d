import type { EventSink } from "../transport/failure-log.ts";
import { RetryingTask } from "../transport/retrying-task.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
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
  readonly random: () => number;
}

export function createPolling(options: PollingOptions): Synchronizer {
  const { api, sink, intervalMs, events, random } = options;
  let etag: string | undefined;
  const poll = async (signal: AbortSignal): Promise<void> => {
    etag = await pollOnce(api, sink, etag, signal);
  };
  return new RetryingTask({
    subject: "Fetching flags",
    attempt: poll,
    intervalMs,
    isRepeated: intervalMs > 0,
    events,
    random,
  });
}

export function createDeltaPolling(
  options: PreferredOptions & { readonly api: Pick<UpstreamApi, "fetchDelta"> },
): Synchronizer {
  const { api, onFailure, intervalMs, events, random } = options;
  const document = new DeltaDocument(options);
  let etag: string | undefined;
  const poll = async (signal: AbortSignal): Promise<void> => {
    const fetched = await api.fetchDelta(document.isHydrated ? etag : undefined, signal);
    signal.throwIfAborted();
    if (fetched.document === undefined) {
      await document.unchanged(signal, fetched.confirmation);
      return;
    }
    await document.apply(fetched.document, signal, fetched.confirmation);
    etag = fetched.etag;
  };
  const attempt = async (signal: AbortSignal): Promise<void> => {
    try {
      await poll(signal);
    } catch (thrown) {
      if (!signal.aborted) onFailure(toUpstreamError(thrown));
      throw thrown;
    }
  };
  return new RetryingTask({
    subject: "Fetching changes of flags",
    attempt,
    intervalMs,
    isRepeated: intervalMs > 0,
    events,
    random,
  });
}
