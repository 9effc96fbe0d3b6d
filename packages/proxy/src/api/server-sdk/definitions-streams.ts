import type { FlagSource } from "flags-sdk";
import {
  DeltaHub,
  type DeltaHubOptions,
  DeltaStream,
  type EventStream,
} from "flags-server-kit/http";
import type { Grant } from "../../access/grant.ts";
import { completeSource, type GrantedSource } from "../../access/restricted-source.ts";
import { HttpError } from "../../errors.ts";
import type { DefinitionsFeed, DefinitionsFeeds } from "./definitions-feed.ts";

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

/** Keeps the streams of definitions up to date. */
export class DefinitionsStreams {
  readonly #feeds: DefinitionsFeeds;
  readonly #hub: DeltaHub<DefinitionsStream>;
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

  /** @throws {HttpError} 503 with `Retry-After` if the limit of streams is reached */
  checkCapacity(): void {
    this.#hub.checkCapacity((message, headers) => new HttpError(503, message, { headers }));
  }

  /** Adds a stream that has sent its initial state. */
  add(stream: DefinitionsStream): void {
    this.#hub.add(stream);
  }

  /** Ends the streams whose grant is not allowed. */
  endUnless(isAllowed: (grant: Grant) => boolean): void {
    this.#hub.endIf(({ grant }) => !isAllowed(grant));
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
