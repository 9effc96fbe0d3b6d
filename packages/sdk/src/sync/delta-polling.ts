import { PersistentTask } from "../schedule/persistent-task.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import { DeltaDocument } from "./delta-document.ts";
import type { PreferredOptions } from "./polling-fallback.ts";
import type { Synchronizer } from "./synchronizer.ts";

/** Asks the upstream at intervals what has changed. */
export function createDeltaPolling(
  options: PreferredOptions & { readonly api: Pick<UpstreamApi, "fetchDelta"> },
): Synchronizer {
  const { api, onFailure, intervalMs, faults, random } = options;
  const document = new DeltaDocument(options);
  let etag: string | undefined;
  const poll = async (signal: AbortSignal): Promise<void> => {
    const known = document.isHydrated ? etag : undefined;
    const fetched = await api.fetchDelta(known, signal);
    signal.throwIfAborted();
    if (fetched.document === undefined) {
      await document.unchanged(signal);
      return;
    }
    await document.apply(fetched.document, signal);
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
  const isRepeated = intervalMs > 0;
  const subject = "Fetching changes of flags";
  return new PersistentTask({ subject, attempt, intervalMs, isRepeated, faults, random });
}
