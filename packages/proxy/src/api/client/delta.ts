import { parseEventId } from "flags-engine";
import type { FlagSource } from "flags-sdk";
import type { TypedApp } from "flags-server-kit/http";
import { grantOf } from "../../access/authenticate.ts";
import type { DefinitionsFeed } from "./definitions-feed.ts";
import type { DefinitionsFeeds } from "./definitions-feeds.ts";
import { parseDefinitionsQuery } from "./definitions-query.ts";
import { notReady } from "../../errors.ts";
import { errorResponses, NotModified } from "../schemas.ts";
import { DefinitionsQuery, Delta } from "./schemas.ts";
import { type DefinitionsOptions, SERVER_SDK } from "./server-sdk-options.ts";

/** Tells server SDKs and other proxies what has changed, when they ask. */
export function registerDelta(
  app: TypedApp,
  { authenticate, vary, feeds }: DefinitionsOptions,
): void {
  const schema = {
    ...SERVER_SDK,
    summary: "What has changed since the state in `If-None-Match`; everything without it",
    querystring: DefinitionsQuery,
    response: { 200: Delta, 304: NotModified, ...errorResponses(401, 503) },
  };

  app.get("/client/delta", { onRequest: [authenticate], schema }, (request, reply) => {
    const feed = feedOf(feeds, grantOf(request).source, request.url);
    const message = feed.update(parseEventId(request.headers["if-none-match"]));
    reply.headers({ "cache-control": "no-cache", vary, etag: `"${message.id}"` });
    return message.size === 0
      ? reply.code(304).send()
      : reply.type("application/json; charset=utf-8").send(message.text);
  });
}

/** The feed that a request asks for. */
export function feedOf(feeds: DefinitionsFeeds, source: FlagSource, url: string): DefinitionsFeed {
  const feed = feeds.current(source, parseDefinitionsQuery(url));
  if (feed === undefined) throw notReady();
  return feed;
}
