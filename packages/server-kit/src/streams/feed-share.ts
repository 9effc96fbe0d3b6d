import { FairShare } from "../http/fair-share.ts";

interface Use {
  streams: number;
  readonly release: () => void;
}

/**
 * Limits the memory for the feeds of open streams. Streams with the same query share a feed, but a client can choose
 * another query for each stream.
 */
export class FeedShare<Feed extends { readonly bytes: number }> {
  readonly #share: FairShare;
  /** By client. */
  readonly #uses = new Map<string, Map<Feed, Use>>();

  /** @param maxBytes for all feeds together */
  constructor(maxBytes: number) {
    this.#share = new FairShare(maxBytes);
  }

  /** Counts another stream of a client. Returns a function for its end; undefined if the client's share is exhausted. */
  tryAdd(client: string, feed: Feed): (() => void) | undefined {
    const uses = this.#uses.get(client) ?? new Map<Feed, Use>();
    const use = uses.get(feed) ?? this.#claim(client, feed);
    if (use === undefined) return undefined;
    use.streams += 1;
    this.#uses.set(client, uses.set(feed, use));
    return () => this.#remove(client, feed, use);
  }

  #claim(client: string, feed: Feed): Use | undefined {
    const release = this.#share.tryClaim(client, feed.bytes);
    return release && { streams: 0, release };
  }

  #remove(client: string, feed: Feed, use: Use): void {
    use.streams -= 1;
    if (use.streams > 0) return;
    use.release();
    const uses = this.#uses.get(client);
    uses?.delete(feed);
    if (uses?.size === 0) this.#uses.delete(client);
  }
}
