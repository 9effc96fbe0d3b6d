import { writeAgeComment } from "flags-sdk/neutral";
import {
  DeltaHub,
  type DeltaHubOptions,
  DeltaStream,
  type EventStream,
} from "flags-server-kit/http";
import type { FlagSource } from "../../upstream/flag-source.ts";
import { ageMsOf } from "../../sources/age.ts";
import type { Grant } from "../../core/access/grant.ts";
import { HttpError } from "../../core/http/errors.ts";
import type { DefinitionsFeed, DefinitionsFeeds } from "../../core/server-sdk/definitions-feed.ts";
import type { DefinitionsStreamRequest } from "../../core/server-sdk/definitions-routes.ts";

export class DefinitionsStream extends DeltaStream<DefinitionsFeed> {
  readonly grant: Grant;

  constructor(grant: Grant, feed: DefinitionsFeed, events: EventStream) {
    super(grant.key, feed, events);
    this.grant = grant;
  }

  /** Repeats how old the flags are, after those that are still to be sent. */
  keepAlive(): void {
    this.update();
    this.events.keepAlive(writeAgeComment(ageMsOf(this.grant.flags.source.flags)));
  }

  protected override send(...event: Parameters<DeltaStream<DefinitionsFeed>["send"]>): void {
    super.send(...event);
    this.keepAlive();
  }
}

/** Minimum time between the confirmations of the upstream that are passed on. */
const MIN_CONFIRMATION_MS = 1000;

const MAX_FEED_BYTES = 64 * 1024 * 1024;

export class DefinitionsStreams extends DeltaHub<DefinitionsStream> {
  readonly #feeds: DefinitionsFeeds;
  readonly #unfollow: readonly (() => void)[];

  constructor(
    sources: readonly FlagSource[],
    feeds: DefinitionsFeeds,
    options: Omit<DeltaHubOptions, "maxFeedBytes" | "toError">,
  ) {
    super({
      ...options,
      maxFeedBytes: MAX_FEED_BYTES,
      toError: (message, headers) => new HttpError(503, message, { headers }),
    });
    this.#feeds = feeds;
    this.#unfollow = sources.map((source) => {
      const onChanged = (): void => this.#advance(source);
      const onUnchanged = this.#createConfirmation(source);
      source.on("changed", onChanged);
      source.on("unchanged", onUnchanged);
      return () => {
        source.off("changed", onChanged);
        source.off("unchanged", onUnchanged);
      };
    });
  }

  opener({ grant, feed, lastEventId }: DefinitionsStreamRequest): (events: EventStream) => void {
    return (events) => {
      const stream = new DefinitionsStream(grant, feed, events);
      stream.sendInitial(lastEventId);
      this.add(stream);
    };
  }

  endUnless(isAllowed: (grant: Grant) => boolean): void {
    this.endIf(({ grant }) => !isAllowed(grant), "revoked");
  }

  override close(): void {
    for (const unfollow of this.#unfollow) unfollow();
    super.close();
  }

  /** Passes confirmations on when they arrive, so that the times between them do not add up. */
  #createConfirmation(source: FlagSource): () => void {
    let latestMs = -Infinity;
    return () => {
      const nowMs = performance.now();
      if (nowMs - latestMs < MIN_CONFIRMATION_MS) return;
      latestMs = nowMs;
      this.keepAlive(this.#streamsOf(source));
    };
  }

  #streamsOf(source: FlagSource): readonly DefinitionsStream[] {
    return this.streams().filter(({ grant }) => grant.flags.source.flags === source);
  }

  #advance(source: FlagSource): void {
    this.#feeds.advance(source);
    const streams = this.#streamsOf(source);
    // The feed of an open stream may no longer be among the recent ones.
    for (const { feed, grant } of streams) {
      const { definitions } = grant.flags;
      if (definitions !== undefined) feed.advance(definitions);
    }
    this.update(streams);
  }
}
