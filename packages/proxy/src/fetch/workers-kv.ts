import { isRecord } from "flags-engine";
import type { CachedFlags, FlagCache } from "./flag-cache.ts";

/** What of a namespace of Workers KV is used. */
export interface KvNamespace {
  getWithMetadata(
    key: string,
    options: { type: "text"; cacheTtl: number },
  ): Promise<{ readonly value: string | null; readonly metadata: unknown }>;
  put(key: string, value: string, options: { metadata: object }): Promise<void>;
}

/** The lowest that KV allows: how long a location may return what it has read. */
const CACHE_TTL_SECONDS = 30;

const HOUR_MS = 3_600_000;

/**
 * Keeps flags in a namespace of Workers KV, so that isolates in all locations can start while the upstream is down. It is read
 * when an isolate starts, and written when flags have changed and once an hour: writes are what it limits and charges for.
 *
 * @param namespace as Workers bind it
 * @param options.confirmInterval milliseconds after which the same flags are written again, as confirmed now. @default an hour
 * @throws {TypeError} if there is no namespace, or the interval is not a number from 0
 */
export function workersKv(
  namespace: KvNamespace,
  { confirmInterval = HOUR_MS }: { readonly confirmInterval?: number } = {},
): FlagCache {
  if (typeof Object(namespace).getWithMetadata !== "function")
    throw new TypeError(
      "`namespace` must be a namespace of Workers KV, such as `env.FLAGS`: check its binding",
    );
  if (typeof confirmInterval !== "number" || !(confirmInterval >= 0))
    throw new TypeError("`confirmInterval` must be a number of milliseconds from 0");
  return {
    confirmIntervalMs: confirmInterval,
    async get(key): Promise<CachedFlags | undefined> {
      const options = { type: "text", cacheTtl: CACHE_TTL_SECONDS } as const;
      const { value: text, metadata } = await namespace.getWithMetadata(key, options);
      if (text === null || !isRecord(metadata)) return undefined;
      // The proxy checks what it gets.
      return { ...(metadata as Pick<CachedFlags, "at" | "etag">), text };
    },
    put: (key, { text, ...metadata }) => namespace.put(key, text, { metadata }),
  };
}
