import { parseEventId } from "flags-engine";
import { AGE_HEADER, writeAge } from "flags-sdk/internal";
import { acceptsGzip, EventStream, releaseRequest, type TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { grantOf } from "../authenticate.ts";
import type { VisibleFlags } from "../../access/visible-flags.ts";
import { ageMsOf } from "../../age.ts";
import { notReady } from "../../errors.ts";
import { errorResponses, NotModified } from "../schemas.ts";
import type { DefinitionsFeed, DefinitionsFeeds } from "./definitions-feed.ts";
import { DefinitionsStream } from "./definitions-streams.ts";
import type { DefinitionsOptions } from "./definitions.ts";
import { DefinitionsQuery, Delta, parseDefinitionsQuery, SERVER_SDK } from "./schemas.ts";

/** Registers the endpoint with which server SDKs and other proxies poll for changes. */
export function registerDelta(
  app: TypedApp,
  { authenticate, vary, feeds }: DefinitionsOptions,
): void {
  const schema = {
    ...SERVER_SDK,
    summary: "Changes since the state in `If-None-Match`; the complete state without it",
    querystring: DefinitionsQuery,
    response: { 200: Delta, 304: NotModified, ...errorResponses(401, 503) },
  };

  app.get("/client/delta", { onRequest: [authenticate], schema }, (request, reply) => {
    const { flags } = grantOf(request);
    const feed = feedOf(feeds, flags, request.url);
    const message = feed.update(parseEventId(request.headers["if-none-match"]));
    reply.headers({ "cache-control": "no-cache", vary, etag: `"${message.id}"` });
    reply.header(AGE_HEADER, writeAge(ageMsOf(flags.source.flags)));
    return message.size === 0
      ? reply.code(304).send()
      : reply.type("application/json; charset=utf-8").send(message.text);
  });
}

/** Registers the endpoint that streams changes to server SDKs and other proxies. */
export function registerStreaming(
  app: TypedApp,
  { authenticate, vary, feeds, streams }: DefinitionsOptions,
): void {
  const schema = {
    ...SERVER_SDK,
    summary: "Streams changes as server-sent events",
    description:
      "The first event, `unleash-connected`, contains the complete state, or the changes since " +
      "`Last-Event-ID`. Each change is an `unleash-updated` event. The data of events are deltas in " +
      "JSON. Comments repeat `X-Flags-Age-Seconds`, the time since the flags were confirmed. When too many streams are open, the response is a 503 with `Retry-After`.",
    querystring: DefinitionsQuery,
    response: {
      200: { content: { "text/event-stream": { schema: Type.String() } }, description: "Events" },
      ...errorResponses(401, 503),
    },
  };
  // A response to HEAD would be useless without the stream.
  const options = { exposeHeadRoute: false, onRequest: [authenticate], schema };

  app.get("/client/streaming", options, (request, reply) => {
    // NOTE: the stream of a client that disconnected during earlier hooks would never be removed.
    if (reply.raw.destroyed) return reply.hijack();
    const grant = grantOf(request);
    const feed = feedOf(feeds, grant.flags, request.url);
    streams.checkCapacity();
    reply.raw.once("close", streams.claimFeed(grant, feed));
    reply.headers({ vary, [AGE_HEADER]: writeAge(ageMsOf(grant.flags.source.flags)) });
    const gzip = acceptsGzip(request.headers["accept-encoding"]);
    const events = new EventStream(reply.raw, reply.getHeaders(), { gzip });
    const stream = new DefinitionsStream(grant, feed, events);
    stream.sendInitial(parseEventId(request.headers["last-event-id"]?.toString()));
    releaseRequest(request);
    streams.add(stream);
    return reply.hijack();
  });
}

function feedOf(feeds: DefinitionsFeeds, flags: VisibleFlags, url: string): DefinitionsFeed {
  const feed = feeds.current(flags, parseDefinitionsQuery(url));
  if (feed === undefined) throw notReady();
  return feed;
}
