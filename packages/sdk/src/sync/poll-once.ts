import type { UpstreamApi } from "../transport/upstream-api.ts";
import type { SyncSink } from "./synchronizer.ts";

/**
 * Fetches all definitions, unless they have not changed since the ETag, and passes them on. Returns the new ETag.
 *
 * NOTE: only now. With the ETag of a rejected document, the upstream would not send that again.
 */
export async function pollOnce(
  api: Pick<UpstreamApi, "fetchFeatures">,
  sink: SyncSink,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fetched = await api.fetchFeatures(etag, signal);
  signal.throwIfAborted();
  const { document, confirmation } = fetched;
  if (document === undefined) sink.unchanged(confirmation);
  else await sink.accept(document, signal, confirmation);
  return fetched.etag;
}
