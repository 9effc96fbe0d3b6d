import { isRecord } from "flags-engine";

/** Flags in a cache. */
export interface CachedFlags {
  /** The definitions, as JSON. */
  readonly text: string;
  /** The ETag with which the upstream sent them, if any. */
  readonly etag: string | undefined;
  /** When the upstream confirmed them, epoch milliseconds. */
  readonly at: number;
}

/**
 * Keeps the flags of an upstream where other isolates find them, so that few of them ask the upstream, and a new one can
 * start while the upstream is down. Errors are logged, and the upstream is asked instead.
 */
export interface FlagCache {
  /**
   * Returns the flags that were put last, or earlier ones.
   *
   * @param key letters, digits and slashes. It identifies the upstream, its token and the selection of flags: flags under
   *   another key must never be returned
   */
  get(key: string): Promise<CachedFlags | undefined>;
  put(key: string, flags: CachedFlags): Promise<void>;
  /**
   * Milliseconds after which flags that have not changed are put again, as confirmed now. If it is not shorter than the refresh
   * interval, the cache is only read by isolates without flags.
   *
   * @default 0: after each refresh
   */
  readonly confirmIntervalMs?: number;
}

export function readCachedFlags(found: unknown): CachedFlags | undefined {
  if (!isRecord(found)) return undefined;
  const { text, etag, at } = found;
  if (typeof text !== "string" || typeof at !== "number" || !Number.isFinite(at)) return undefined;
  return { text, etag: typeof etag === "string" ? etag : undefined, at };
}
