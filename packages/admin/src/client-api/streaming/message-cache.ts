import type { DeltaMessage } from "flags-engine";
import { LRUCache } from "lru-cache";

const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;

/** The cached messages of one feed. */
export interface FeedMessages {
  /** Returns the message that leads from one revision to another. Creates it if it is not cached. */
  get(to: number, since: number | undefined, create: () => DeltaMessage): DeltaMessage;
}

/**
 * Caches the messages of all feeds, because nearly all streams with the same query come from the same state.
 * The feeds share one limit: a message can contain all flags of an environment.
 */
export class MessageCache {
  readonly #messages = new LRUCache<string, DeltaMessage>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ text }) => text.length,
  });
  #feeds = 0;

  /** Returns the part of the cache for a new feed. */
  forFeed(): FeedMessages {
    const feed = this.#feeds++;
    return {
      get: (to, since, create) => {
        const key = `${feed} ${to} ${since}`;
        const message = this.#messages.get(key) ?? create();
        this.#messages.set(key, message);
        return message;
      },
    };
  }
}
