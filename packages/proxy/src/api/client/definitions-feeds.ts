import type { FeatureDefinitions, FlagSource } from "flags-sdk";
import { LRUCache } from "lru-cache";
import type { DefinitionsQuery } from "./definitions-query.ts";
import { DefinitionsFeed } from "./definitions-feed.ts";

/** How many different questions are followed; each takes an index of the flags. */
const MAX_FEEDS = 20;

/** The feeds that are in use, one for all who ask the same question of the same source. */
export class DefinitionsFeeds {
  readonly #bySource = new WeakMap<FlagSource, LRUCache<string, DefinitionsFeed>>();

  /** The feed of a question, up to date. */
  current(source: FlagSource, query: DefinitionsQuery): DefinitionsFeed | undefined {
    const { definitions } = source;
    if (definitions === undefined) return undefined;
    const feeds = this.#bySource.get(source) ?? new LRUCache({ max: MAX_FEEDS });
    this.#bySource.set(source, feeds);
    const key = JSON.stringify([query.namePrefix, query.projects.toSorted()]);
    const feed = feeds.get(key) ?? new DefinitionsFeed(query, definitions);
    feeds.set(key, feed);
    feed.advance(definitions);
    return feed;
  }

  /** Has every feed of a source see its definitions: a state nobody saw is not recognized later. */
  advance(source: FlagSource, definitions: FeatureDefinitions): void {
    for (const feed of this.#bySource.get(source)?.values() ?? []) feed.advance(definitions);
  }
}
