import type { EnvironmentFeed } from "./environment-feed.ts";

interface Use {
  readonly bytes: number;
  streams: number;
}

/**
 * Limits the memory for the feeds of open streams. Streams with the same query share a feed, but clients can choose
 * a different query for each stream.
 */
export class FeedsInUse {
  readonly #maxBytes: number;
  readonly #uses = new Map<EnvironmentFeed, Use>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the limit allows another stream with this feed. */
  allows(feed: EnvironmentFeed): boolean {
    return this.#uses.has(feed) || this.#bytes + feed.bytes <= this.#maxBytes;
  }

  /** Counts another stream with a feed. */
  add(feed: EnvironmentFeed): void {
    const use = this.#uses.get(feed) ?? { bytes: feed.bytes, streams: 0 };
    if (use.streams === 0) this.#bytes += use.bytes;
    use.streams++;
    this.#uses.set(feed, use);
  }

  /** Counts one stream less with a feed. */
  remove(feed: EnvironmentFeed): void {
    const use = this.#uses.get(feed);
    if (use === undefined) return;
    use.streams--;
    if (use.streams > 0) return;
    this.#uses.delete(feed);
    this.#bytes -= use.bytes;
  }
}
