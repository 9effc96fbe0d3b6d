import { LRUCache } from "lru-cache";
import type { EnvironmentStates } from "../environment-states.ts";
import type { FeatureQuery } from "../feature-query.ts";
import { ScopeFeed } from "./scope-feed.ts";

/** Most flags that all feeds together remember. */
const MAX_FEATURES = 250_000;

/** The feeds that are in use, one for all who ask the same question. */
export class ScopeFeeds {
  readonly #states: EnvironmentStates;
  readonly #feeds = new LRUCache<string, ScopeFeed>({ maxSize: MAX_FEATURES });

  constructor(states: EnvironmentStates) {
    this.#states = states;
  }

  /** The feed of a question, up to date. */
  async current(query: FeatureQuery): Promise<ScopeFeed> {
    const state = await this.#states.current(query.environment);
    const key = JSON.stringify(query);
    const feed = this.#feeds.get(key) ?? new ScopeFeed(query, state);
    feed.advance(state);
    this.#feeds.set(key, feed, { size: state.features.length + 1 });
    return feed;
  }

  /** Brings feeds up to date, also those that are not among the latest used. */
  async advance(feeds: ReadonlySet<ScopeFeed>): Promise<void> {
    const environments = new Set(Array.from(feeds, ({ query }) => query.environment));
    for (const environment of environments) {
      const state = await this.#states.current(environment);
      for (const feed of feeds) {
        if (feed.query.environment === environment) feed.advance(state);
      }
    }
  }
}
