import type { FeatureDefinitions } from "flags-sdk";
import { abortable, describeCause, type EventSink } from "flags-sdk/neutral";
import { type CachedFlags, type FlagCache, readCachedFlags } from "./flag-cache.ts";

export interface SharedFlags extends Pick<CachedFlags, "etag" | "text"> {
  /** When the upstream confirmed them, as `performance.now()`. */
  readonly confirmedAtMs: number;
}

interface OwnFlags {
  readonly definitions: FeatureDefinitions;
  readonly etag: string | undefined;
  readonly confirmedAtMs: number;
}

/**
 * Times are those of the isolate that wrote them. Times that differ by less than this do not say which flags are newer, and
 * then those of this isolate count.
 */
const CLOCK_DIFFERENCE_MS = 1000;

/** A time that is later than now by more than this is wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 120_000;

/** A cache that takes longer is not waited for. */
const TIMEOUT_MS = 2000;

/** The place of the flags of one source in a cache. Never rejects. */
export class SourceCache {
  readonly #cache: FlagCache;
  readonly #key: string;
  #hasFailed = false;
  /** What this isolate has last put, or found to be there. */
  #known:
    | { readonly definitions: FeatureDefinitions; readonly text: string; readonly at: number }
    | undefined;

  constructor(cache: FlagCache, key: string) {
    this.#cache = cache;
    this.#key = key;
  }

  /** Returns the flags if they were confirmed later than those in memory, at `otherMs` of `performance.now()`. */
  async getNewer(otherMs: number | undefined, events: EventSink): Promise<SharedFlags | undefined> {
    const found = await this.#read(events);
    if (found === undefined) return undefined;
    const { text, etag, at } = found;
    const confirmedAtMs = performance.now() - Math.max(0, Date.now() - at);
    const isNewer = otherMs === undefined || confirmedAtMs > otherMs + CLOCK_DIFFERENCE_MS;
    return isNewer ? { text, etag, confirmedAtMs } : undefined;
  }

  /** If the flags in the cache are confirmed less often than they are due, only an isolate without flags needs them. */
  savesRequests(refreshIntervalMs: number): boolean {
    return this.#confirmIntervalMs < refreshIntervalMs;
  }

  /** Puts flags, unless the cache has newer ones, or the same ones that need not be confirmed yet. */
  async put({ definitions, etag, confirmedAtMs }: OwnFlags, events: EventSink): Promise<void> {
    const at = Math.round(Date.now() - (performance.now() - confirmedAtMs));
    const known = this.#known;
    if (known?.definitions === definitions && at - known.at <= this.#confirmIntervalMs) return;
    const text = known?.definitions === definitions ? known.text : JSON.stringify(definitions);
    const own = { text, etag, at };
    const found = await this.#read(events);
    const isKept = found !== undefined && !this.#mustReplace(found, own);
    if (!isKept && !(await this.#write(own, events))) return;
    this.#known = { definitions, text, at: isKept ? found.at : at };
  }

  get #confirmIntervalMs(): number {
    return this.#cache.confirmIntervalMs ?? 0;
  }

  #mustReplace(found: CachedFlags, own: CachedFlags): boolean {
    const newerByMs = own.at - found.at;
    return newerByMs > (found.text === own.text ? this.#confirmIntervalMs : 0);
  }

  async #write(own: CachedFlags, events: EventSink): Promise<boolean> {
    const write = async (): Promise<boolean> => {
      await this.#cache.put(this.#key, own);
      return true;
    };
    return (await this.#try("Writing", write, events)) ?? false;
  }

  async #read(events: EventSink): Promise<CachedFlags | undefined> {
    const read = async (): Promise<unknown> => this.#cache.get(this.#key);
    const found = readCachedFlags(await this.#try("Reading", read, events));
    const isWrong = found !== undefined && found.at > Date.now() + MAX_CLOCK_DIFFERENCE_MS;
    return isWrong ? undefined : found;
  }

  /** Logs the first failure until the cache works again. */
  async #try<T>(verb: string, work: () => Promise<T>, events: EventSink): Promise<T | undefined> {
    try {
      const result = await abortable(work(), AbortSignal.timeout(TIMEOUT_MS));
      this.#hasFailed = false;
      return result;
    } catch (cause) {
      if (!this.#hasFailed)
        events.warn(`${verb} flags in the cache failed: ${describeCause(cause)}`);
      this.#hasFailed = true;
      return undefined;
    }
  }
}
