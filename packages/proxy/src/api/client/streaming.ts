import { parseEventId } from "flags-engine";
import { EventStream, type TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { grantOf } from "../../access/authenticate.ts";
import { DefinitionsStream } from "./definitions-stream.ts";
import { errorResponses } from "../schemas.ts";
import { feedOf } from "./delta.ts";
import { DefinitionsQuery } from "./schemas.ts";
import { type DefinitionsOptions, SERVER_SDK } from "./server-sdk-options.ts";

/** Tells server SDKs and other proxies of changes as they happen. */
export function registerStreaming(
  app: TypedApp,
  { authenticate, vary, feeds, streams }: DefinitionsOptions,
): void {
  const schema = {
    ...SERVER_SDK,
    summary: "Tells of changes as they happen, as an event stream",
    description:
      "The first event, `unleash-connected`, brings everything, or what is new since " +
      "`Last-Event-ID`. Each change is an `unleash-updated`. Data is a delta in JSON. When too " +
      "many streams are open, the answer is a 503 that says when to try again.",
    querystring: DefinitionsQuery,
    response: {
      200: { content: { "text/event-stream": { schema: Type.String() } }, description: "Events" },
      ...errorResponses(401, 503),
    },
  };
  // There is no point in the headers of a stream alone.
  const options = { exposeHeadRoute: false, onRequest: [authenticate], schema };

  app.get("/client/streaming", options, (request, reply) => {
    // NOTE: one who hung up while hooks of others were at work would never be missed.
    if (reply.raw.destroyed) return reply.hijack();
    const { source } = grantOf(request);
    const feed = feedOf(feeds, source, request.url);
    streams.requireRoom();
    reply.header("vary", vary);
    const events = new EventStream(reply.raw, reply.getHeaders());
    const stream = new DefinitionsStream({ source, feed, events });
    stream.greet(parseEventId(request.headers["last-event-id"]?.toString()));
    streams.add(stream);
    return reply.hijack();
  });
}
