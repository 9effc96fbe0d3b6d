import { FairShare } from "../fair-share.ts";

interface Feed {
  readonly bytes: number;
}

interface Use {
  readonly client: string;
  readonly bytes: number;
  streams: number;
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

  canAdd(client: string, feed: Feed): boolean {
    return feed.bytes === 0 || this.#uses.has(feed) || this.#share.canClaim(client, feed.bytes);
  }

  add(client: string, feed: Feed): void {
    const use = this.#uses.get(feed) ?? { client, bytes: feed.bytes, streams: 0 };
    if (use.streams === 0) this.#share.claim(client, use.bytes);
    use.streams += 1;
    this.#uses.set(feed, use);
  }

  remove(feed: Feed): void {
    const use = this.#uses.get(feed);
    if (use === undefined) return;
    use.streams -= 1;
    if (use.streams > 0) return;
    this.#share.claim(use.client, -use.bytes);
    this.#uses.delete(feed);
  }
}
