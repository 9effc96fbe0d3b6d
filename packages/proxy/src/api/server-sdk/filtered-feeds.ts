import { FairShare } from "flags-server-kit/http";
import type { DefinitionsFeed } from "./definitions-feed.ts";

/** Limit for the feeds with filters of all open streams. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Use {
  streams: number;
  readonly release: () => void;
}

/**
 * Limits the memory for the feeds of open streams. Streams with the same query share a feed, but a client can
 * choose another filter for each stream, and each feed contains a copy of its flags. Feeds without filters do
 * not count, as their number is that of the sources.
 */
export class FilteredFeeds {
  readonly #share: FairShare;
  /** By the key of a grant. */
  readonly #uses = new Map<string, Map<DefinitionsFeed, Use>>();

  /** @param maxBytes default 64 MiB */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#share = new FairShare(maxBytes);
  }

  /** Counts another stream. Returns a function for its end; undefined if the share of its key is exhausted. */
  tryAdd(key: string, feed: DefinitionsFeed): (() => void) | undefined {
    if (!feed.isFiltered) return () => undefined;
    const uses = this.#uses.get(key) ?? new Map<DefinitionsFeed, Use>();
    const use = uses.get(feed) ?? this.#claim(key, feed);
    if (use === undefined) return undefined;
    use.streams += 1;
    this.#uses.set(key, uses.set(feed, use));
    return () => this.#remove(key, feed, use);
  }

  #claim(key: string, feed: DefinitionsFeed): Use | undefined {
    const release = this.#share.tryClaim(key, feed.bytes);
    return release && { streams: 0, release };
  }

  #remove(key: string, feed: DefinitionsFeed, use: Use): void {
    use.streams -= 1;
    if (use.streams > 0) return;
    use.release();
    const uses = this.#uses.get(key);
    uses?.delete(feed);
    if (uses?.size === 0) this.#uses.delete(key);
  }
}
