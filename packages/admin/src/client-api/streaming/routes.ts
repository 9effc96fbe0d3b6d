import { parseEventId } from "flags-engine";
import { tokenOf } from "../../access/request-token.ts";
import { errorResponses } from "../../http/schemas.ts";
import { EventStream, type TypedApp } from "flags-server-kit/http";
import { readFeatureQuery } from "../feature-query.ts";
import { DeltaResponse, FiltersQuery, NotModified } from "../schemas.ts";
import { FlagStream } from "./flag-stream.ts";
import type { ScopeFeeds } from "./scope-feeds.ts";
import type { StreamHub } from "./stream-hub.ts";

const tags = ["Server SDKs"];

interface StreamParts {
  readonly feeds: ScopeFeeds;
  readonly hub: StreamHub;
}

/** What has changed, for SDKs that ask, and for SDKs that listen. */
export function registerStreams(app: TypedApp, { feeds, hub }: StreamParts): void {
  registerDelta(app, feeds);

  app.get(
    "/streaming",
    {
      // There is no point in the headers of a stream alone.
      exposeHeadRoute: false,
      schema: {
        summary: "Tells of changes as they happen, as an event stream",
        description:
          "The first event, `unleash-connected`, brings everything, or what is new since `Last-Event-ID`. " +
          "Each change is an `unleash-updated`. Data is a delta in JSON. " +
          "When too many streams are open, the answer is a 503 that says when to try again.",
        tags,
        querystring: FiltersQuery,
        response: errorResponses(400, 401, 403, 503),
      },
    },
    async (request, reply) => {
      const token = tokenOf(request);
      const feed = await feeds.current(readFeatureQuery(token, request.query));
      const { raw } = reply;
      if (raw.destroyed) return reply.hijack();

      hub.requireRoom();
      const events = new EventStream(raw, reply.getHeaders());
      const stream = new FlagStream({ token, feed, events });
      stream.greet(parseEventId(request.headers["last-event-id"]?.toString()));
      hub.add(stream);
      return reply.hijack();
    },
  );
}

function registerDelta(app: TypedApp, feeds: ScopeFeeds): void {
  app.get(
    "/delta",
    {
      schema: {
        summary: "What has changed since the revision in `If-None-Match`; everything without it",
        tags,
        querystring: FiltersQuery,
        response: { 200: DeltaResponse, 304: NotModified, ...errorResponses(400, 401, 403, 503) },
      },
    },
    async (request, reply) => {
      const feed = await feeds.current(readFeatureQuery(tokenOf(request), request.query));
      const known = parseEventId(request.headers["if-none-match"]);
      const message = known === undefined ? feed.hydrate() : feed.update(known);
      reply.headers({
        "cache-control": "private, no-cache",
        vary: "Authorization",
        etag: `"${message.id}"`,
      });
      return message.size === 0
        ? reply.code(304).send()
        : reply.type("application/json; charset=utf-8").send(message.text);
    },
  );
}
