import { parseEventId } from "flags-engine";
import { acceptsGzip, EventStream, releaseRequest, type TypedApp } from "flags-server-kit/http";
import { tokenOf } from "../../access/request-identity.ts";
import { errorResponses } from "../../http/schemas.ts";
import { readFeatureQuery } from "../feature-query.ts";
import { DeltaResponse, FiltersQuery, NotModified } from "../schemas.ts";
import type { EnvironmentFeeds } from "./environment-feed.ts";
import { SdkStream, type SdkStreams } from "./sdk-streams.ts";

const tags = ["Server SDKs"];

interface StreamDependencies {
  readonly feeds: EnvironmentFeeds;
  readonly streams: SdkStreams;
}

/** Registers the endpoint that streams changes to SDKs. */
export function registerStreaming(app: TypedApp, { feeds, streams }: StreamDependencies): void {
  app.get(
    "/streaming",
    {
      // A response to HEAD would be useless without the stream.
      exposeHeadRoute: false,
      schema: {
        summary: "Streams changes as server-sent events",
        description:
          "The first event, `unleash-connected`, contains the complete state, or the changes since " +
          "`Last-Event-ID`. Each change is an `unleash-updated` event. The data of events are deltas " +
          "in JSON. When too many streams are open, the response is a 503 with `Retry-After`.",
        tags,
        querystring: FiltersQuery,
        response: errorResponses(400, 401, 403, 503),
      },
    },
    async (request, reply) => {
      const token = tokenOf(request);
      const feed = await feeds.current(readFeatureQuery(token, request.query), request.socket);
      const { raw } = reply;
      if (raw.destroyed) return reply.hijack();

      streams.checkCapacity(feed);
      reply.header("vary", "Authorization, Accept-Encoding");
      const gzip = acceptsGzip(request.headers["accept-encoding"]);
      const events = new EventStream(raw, reply.getHeaders(), { gzip });
      const stream = new SdkStream(token, feed, events);
      stream.sendInitial(parseEventId(request.headers["last-event-id"]?.toString()));
      releaseRequest(request);
      streams.add(stream);
      return reply.hijack();
    },
  );
}

/** Registers the endpoint with which SDKs poll for changes. */
export function registerDelta(app: TypedApp, feeds: EnvironmentFeeds): void {
  app.get(
    "/delta",
    {
      schema: {
        summary: "Changes since the revision in `If-None-Match`; the complete state without it",
        tags,
        querystring: FiltersQuery,
        response: { 200: DeltaResponse, 304: NotModified, ...errorResponses(400, 401, 403, 503) },
      },
    },
    async (request, reply) => {
      const feed = await feeds.current(
        readFeatureQuery(tokenOf(request), request.query),
        request.socket,
      );
      const message = feed.update(parseEventId(request.headers["if-none-match"]));
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
