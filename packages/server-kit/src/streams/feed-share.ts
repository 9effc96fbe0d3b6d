import { FairShare } from "../fair-share.ts";

interface Feed {
  readonly bytes: number;
}

interface Use {
  streams: number;
  readonly release: () => void;
}

/**
 * Limits the memory for the feeds of open streams. Streams with the same query share a feed, which counts once, for
 * the client that opened it first. But a client can choose another query for each stream.
 */
export class FeedShare {
  readonly #share: FairShare;
  readonly #uses = new Map<Feed, Use>();

  constructor(maxBytes: number) {
    this.#share = new FairShare(maxBytes);
  }

  /** Counts another stream of a client. Returns a function for its end; undefined if the client's share is exhausted. */
  tryAdd(client: string, feed: Feed): (() => void) | undefined {
    const use = this.#uses.get(feed) ?? this.#claim(client, feed);
    if (use === undefined) return undefined;
    use.streams += 1;
    return () => this.#remove(feed, use);
  }

  #claim(client: string, feed: Feed): Use | undefined {
    const release = this.#share.tryClaim(client, feed.bytes);
    if (release === undefined) return undefined;
    const use = { streams: 0, release };
    this.#uses.set(feed, use);
    return use;
  }

  #remove(feed: Feed, use: Use): void {
    use.streams -= 1;
    if (use.streams > 0) return;
    use.release();
    this.#uses.delete(feed);
  }
}
