import type { CachedFlags, FlagCache } from "./flag-cache.ts";

interface HttpCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

interface HttpCaches {
  /** Only Workers have it. */
  readonly default?: HttpCache;
  open(name: string): Promise<HttpCache>;
}

/** The host does not exist: nothing is sent there. */
const ORIGIN = "https://flags-proxy.invalid/";
const AT_HEADER = "x-flags-confirmed-at";
const ETAG_HEADER = "x-flags-upstream-etag";

/** Longer than any outage: the flags of last week are better than none. */
const MAX_AGE_SECONDS = 30 * 24 * 3600;

/** NOTE: not before the first request, because the global scope of Workers allows no such calls. */
async function open(): Promise<HttpCache> {
  const { caches } = globalThis as { readonly caches?: HttpCaches };
  if (caches === undefined) throw new Error("This runtime has no Cache API");
  return caches.default ?? caches.open("flags-proxy");
}

/**
 * Keeps flags in the Cache API of Workers, where isolates in one location share them, or of Deno, where they survive a restart.
 * Only one isolate asks the upstream in each interval.
 *
 * On Workers, it has no effect for addresses below `workers.dev`.
 */
export function cacheApi(): FlagCache {
  return {
    async get(key): Promise<CachedFlags | undefined> {
      const response = await (await open()).match(ORIGIN + key);
      if (response === undefined) return undefined;
      const { headers } = response;
      const etag = headers.get(ETAG_HEADER) ?? undefined;
      return {
        text: await response.text(),
        etag,
        at: Number(headers.get(AT_HEADER) ?? Number.NaN),
      };
    },
    async put(key, { text, etag, at }) {
      const headers = new Headers({
        "cache-control": `public, max-age=${MAX_AGE_SECONDS}`,
        "content-type": "application/json",
        [AT_HEADER]: String(at),
      });
      if (etag !== undefined) headers.set(ETAG_HEADER, etag);
      await (await open()).put(ORIGIN + key, new Response(text, { headers }));
    },
  };
}
