import { DeltaLog, type DeltaMessage } from "flags-engine";
import type { DeltaFeed } from "flags-server-kit/http";
import { LRUCache } from "lru-cache";
import { type Connection, TimeSlice, Turns } from "../scheduling/time-slice.ts";
import { type EnvironmentState, selectFeatures } from "./environment-state.ts";
import type { EnvironmentCache } from "./environment-cache.ts";
import type { FeatureQuery } from "./feature-query.ts";

/** How many earlier revisions a feed recognizes. */
const MAX_REVISIONS = 1000;

/** Approximate memory of a feed, in bytes: without entries, and for each entry and revision. */
const FEED_BYTES = 1000;
const ENTRY_BYTES = 100;
const REVISION_BYTES = 8;

/**
 * The changes of the part of an environment that a query selects. States are named by revision.
 *
 * NOTE: all replicas use the same revisions, but a replica does not load each of them. It knows only the
 * differences between those that it has loaded: a change that is reverted before the next load, for
 * example, looks like no change.
 */
export class EnvironmentFeed implements DeltaFeed {
  readonly query: FeatureQuery;
  readonly #log: DeltaLog;
  /** The revisions that this feed has had, the oldest first. A list, because it needs less memory than a set. */
  readonly #revisions: number[];
  #revision: number;
  readonly #messages: FeedMessages;
  readonly #queryBytes: number;

  constructor(query: FeatureQuery, state: EnvironmentState, messages: FeedMessages) {
    const { revision } = state;
    this.query = query;
    this.#revisions = [revision];
    this.#revision = revision;
    this.#messages = messages;
    // Twice, because the key of a recent feed repeats the query.
    this.#queryBytes = 2 * toKey(query).length;
    this.#log = new DeltaLog(revision, selectFeatures(state, query));
  }

  /** The current revision. */
  get id(): number {
    return this.#revision;
  }

  /** Approximate memory, without the content of flags, which all feeds share. */
  get bytes(): number {
    const revisionBytes = this.#revisions.length * REVISION_BYTES;
    return FEED_BYTES + this.#queryBytes + this.#log.size * ENTRY_BYTES + revisionBytes;
  }

  /** Records the changes up to the state of a later revision. Ignores earlier revisions. */
  advance(state: EnvironmentState): void {
    if (state.revision <= this.#revision) return;
    this.#log.advance(state.revision, selectFeatures(state, this.query));
    this.#revision = state.revision;
    this.#revisions.push(state.revision);
    if (this.#revisions.length > MAX_REVISIONS) this.#revisions.shift();
  }

  update(sinceRevision: number | undefined): DeltaMessage {
    const isKnown = sinceRevision !== undefined && this.#isKnown(sinceRevision);
    return this.#messages.get(this.#revision, isKnown ? sinceRevision : undefined, () =>
      isKnown
        ? this.#log.changes(sinceRevision, this.#revision)
        : this.#log.hydration(this.#revision),
    );
  }

  #isKnown(revision: number): boolean {
    return revision >= this.#log.completeSince && this.#revisions.includes(revision);
  }
}

function toKey(query: FeatureQuery): string {
  return JSON.stringify(query);
}

/** Maximum memory of all recent feeds. Clients choose the queries, so their number alone is no limit. */
const MAX_RECENT_BYTES = 32 * 1024 * 1024;

/** The feeds of recent queries, one for all SDKs with the same query. */
export class EnvironmentFeeds {
  readonly #states: Pick<EnvironmentCache, "current">;
  readonly #feeds = new LRUCache<string, EnvironmentFeed>({ maxSize: MAX_RECENT_BYTES });
  readonly #messages = new MessageCache();
  readonly #turns = new Turns();

  constructor(states: Pick<EnvironmentCache, "current">) {
    this.#states = states;
  }

  /** Forgets the changes of all queries, so that new streams and polls for deltas start over. */
  clear(): void {
    this.#feeds.clear();
  }

  /**
   * Resolves to the up-to-date feed of a query. Updates at most one feed before other requests run: clients can choose
   * a different query for each request.
   */
  async current(query: FeatureQuery, connection: Connection): Promise<EnvironmentFeed> {
    const state = await this.#states.current(query.environment);
    const key = toKey(query);
    if (this.#feeds.get(key)?.id !== state.revision) await this.#turns.next(connection);
    const feed =
      this.#feeds.get(key) ?? new EnvironmentFeed(query, state, this.#messages.forFeed());
    feed.advance(state);
    this.#feeds.set(key, feed, { size: feed.bytes });
    return feed;
  }

  /** Brings feeds up to date, including those that are no longer among the recent ones. */
  async advance(feeds: ReadonlySet<EnvironmentFeed>): Promise<void> {
    const environments = new Set(Array.from(feeds, ({ query }) => query.environment));
    const slice = new TimeSlice();
    for (const environment of environments) {
      const state = await this.#states.current(environment);
      for (const feed of feeds) {
        if (feed.query.environment !== environment) continue;
        feed.advance(state);
        if (slice.isOver) await slice.startNext();
      }
    }
  }
}

const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;

/** The cached messages of one feed. */
interface FeedMessages {
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
