import type { FlagSource } from "flags-sdk";
import {
  type ClosedStreams,
  DeltaHub,
  type DeltaHubOptions,
  DeltaStream,
  type EventStream,
  FeedShare,
} from "flags-server-kit/http";
import type { Grant } from "../../access/grant.ts";
import { completeSource, type GrantedSource } from "../../access/restricted-source.ts";
import { HttpError } from "../../errors.ts";
import type { DefinitionsFeed, DefinitionsFeeds } from "./definitions-feed.ts";

const RETRY_AFTER_SECONDS = 10;

/** A stream that sends an SDK the definitions of one source, and every change. */
export class DefinitionsStream extends DeltaStream<DefinitionsFeed> {
  /** The grant of the request that opened the stream. */
  readonly grant: Grant;

  constructor(grant: Grant, feed: DefinitionsFeed, events: EventStream) {
    super(feed, events);
    this.grant = grant;
  }

  get source(): GrantedSource {
    return this.grant.source;
  }
}

/** Limit for the feeds with filters of all open streams. */
const MAX_FEED_BYTES = 64 * 1024 * 1024;

/** Keeps the streams of definitions up to date. */
export class DefinitionsStreams {
  readonly #feeds: DefinitionsFeeds;
  readonly #hub: DeltaHub<DefinitionsStream>;
  readonly #filteredFeeds = new FeedShare<DefinitionsFeed>(MAX_FEED_BYTES);
  readonly #unfollow: readonly (() => void)[];

  constructor(sources: readonly FlagSource[], feeds: DefinitionsFeeds, options: DeltaHubOptions) {
    this.#feeds = feeds;
    this.#hub = new DeltaHub(options);
    this.#unfollow = sources.map((source) => {
      const onChanged = (): void => this.#advance(source);
      source.on("changed", onChanged);
      return () => void source.off("changed", onChanged);
    });
  }

  get size(): number {
    return this.#hub.size;
  }

  get closed(): ClosedStreams {
    return this.#hub.closed;
  }

  /** @throws {HttpError} 503 with `Retry-After` if the limit of streams is reached */
  checkCapacity(): void {
    this.#hub.checkCapacity((message, headers) => new HttpError(503, message, { headers }));
  }

  /**
   * Claims memory for the feed of a stream.
   *
   * @returns a function that must be called when the stream has ended
   * @throws {HttpError} 503 with `Retry-After` if the key has streams with too many different filters
   */
  claimFeed({ key }: Pick<Grant, "key">, feed: DefinitionsFeed): () => void {
    // There is only one feed without filters for each source; with filters, each contains a copy of its flags.
    if (!feed.isFiltered) return () => undefined;
    const release = this.#filteredFeeds.tryAdd(key, feed);
    if (release !== undefined) return release;
    throw new HttpError(
      503,
      "The open streams of this key have too many different filters: use the same ones for several streams, poll for deltas, or try again later",
      { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
    );
  }

  /** Adds a stream that has sent its initial state. */
  add(stream: DefinitionsStream): void {
    this.#hub.add(stream);
  }

  /** Ends the streams whose grant is not allowed. */
  endUnless(isAllowed: (grant: Grant) => boolean): void {
    this.#hub.endIf(({ grant }) => !isAllowed(grant), "revoked");
  }

  /** Ends all streams. Their SDKs reconnect after different delays. */
  close(): void {
    for (const unfollow of this.#unfollow) unfollow();
    this.#hub.close();
  }

  #advance(source: FlagSource): void {
    this.#feeds.advance(source);
    const streams = this.#hub
      .streams()
      .filter((stream) => completeSource(stream.source) === source);
    // The feed of an open stream may no longer be among the recent ones.
    for (const {
      feed,
      source: { definitions },
    } of streams) {
      if (definitions !== undefined) feed.advance(definitions);
    }
    this.#hub.update(streams);
  }
}
