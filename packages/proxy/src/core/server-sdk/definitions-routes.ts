import { mustInlineSegments, parseEventId } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import { AGE_HEADER, writeAge } from "flags-sdk/neutral";
import { acceptsGzip } from "flags-server-kit/neutral";
import type { EventStream } from "flags-server-kit/http";
import { Type } from "typebox";
import type { Grant } from "../access/grant.ts";
import type { VisibleFlags } from "../access/visible-flags.ts";
import { ageMsOf } from "../../sources/age.ts";
import type { Call } from "../routing/call.ts";
import { notReady, unknownFlag } from "../http/errors.ts";
import { conditionalReply, emptyReply, JSON_TYPE, type Reply, textReply } from "../http/reply.ts";
import { FOR_SERVERS, type Route } from "../routing/route.ts";
import { errorResponses, NotModified } from "../routes/schemas.ts";
import {
  type DefinitionsReader,
  writeDefinition,
  type WrittenDocument,
} from "./definitions-document.ts";
import type { DefinitionsFeed, DefinitionsFeeds } from "./definitions-feed.ts";
import {
  Definition,
  DefinitionsQuery,
  DefinitionsResponse,
  Delta,
  parseDefinitionsQuery,
  SERVER_SDK,
} from "./schemas.ts";

export interface DefinitionsStreams {
  /** @throws {HttpError} 503 with `Retry-After` if a limit is reached: of streams, or of different filters for a key */
  checkCapacity(key: string, feed: DefinitionsFeed): void;
  /** Returns the function that opens a stream. NOTE: it keeps nothing else of the HTTP request in memory. */
  opener(request: DefinitionsStreamRequest): (events: EventStream) => void;
}

export interface DefinitionsStreamRequest {
  readonly grant: Grant;
  readonly feed: DefinitionsFeed;
  readonly lastEventId: number | undefined;
}

export interface DefinitionsServices {
  readonly read: DefinitionsReader;
  readonly feeds: DefinitionsFeeds;
  readonly streams: DefinitionsStreams;
}

interface DefinitionsOptions {
  readonly definitions: DefinitionsServices;
  readonly authenticate: NonNullable<Route["authenticate"]>;
  readonly vary: string;
}

const INLINED =
  "Without `Unleash-Client-Spec: 4.2.0` or later in the request, the constraints of segments are " +
  "part of the strategies that refer to them";

/** The routes that send definitions to server SDKs and other proxies: all, one flag, deltas and streams. */
export function definitionsRoutes({
  definitions,
  authenticate,
  vary,
}: DefinitionsOptions): readonly Route[] {
  const { read, feeds } = definitions;
  const shared = { method: "GET", ...SERVER_SDK, audience: FOR_SERVERS, authenticate } as const;
  const send = (call: Call, { entityTag, text: body }: WrittenDocument): Reply => {
    const age = writeAge(ageMsOf(call.grant.flags.source.flags));
    const headers = {
      vary: `${vary}, unleash-client-spec`,
      [AGE_HEADER]: age,
      "cache-control": "no-cache",
    };
    return conditionalReply(call.request, headers, { entityTag, contentType: JSON_TYPE, body });
  };
  return [
    {
      ...shared,
      path: "/client/features",
      summary: "The definitions of all flags, for server SDKs and other proxies",
      description: `${INLINED}, and there is no list of \`segments\`.`,
      query: DefinitionsQuery,
      responses: { 200: DefinitionsResponse, 304: NotModified, ...errorResponses(400, 401, 503) },
      handle: (call) => {
        const { url = "", headers } = call.request;
        const inlineSegments = mustInlineSegments(headers["unleash-client-spec"]);
        const query = { ...parseDefinitionsQuery(url), inlineSegments };
        return send(call, read(definitionsFor(call), query));
      },
    },
    {
      ...shared,
      path: "/client/features/:name",
      summary: "The definition of one flag",
      description: `${INLINED}.`,
      params: Type.Object({ name: Type.String({ description: "Name of the flag" }) }),
      responses: { 200: Definition, 304: NotModified, ...errorResponses(400, 401, 404, 503) },
      handle: (call) => {
        const name = call.param("name");
        const { "unleash-client-spec": spec } = call.request.headers;
        const inlineSegments = mustInlineSegments(spec);
        const document = writeDefinition(definitionsFor(call), { name, inlineSegments });
        if (document === undefined) throw unknownFlag(name);
        return send(call, document);
      },
    },
    {
      ...shared,
      path: "/client/delta",
      summary: "Changes since the state in `If-None-Match`; the complete state without it",
      query: DefinitionsQuery,
      responses: { 200: Delta, 304: NotModified, ...errorResponses(401, 503) },
      handle: ({ grant: { flags }, request: { url = "", headers } }) => {
        const feed = feedOf(feeds, flags, url);
        const message = feed.update(parseEventId(headers["if-none-match"]));
        const age = writeAge(ageMsOf(flags.source.flags));
        const replyHeaders = {
          "cache-control": "no-cache",
          vary,
          etag: `"${message.id}"`,
          [AGE_HEADER]: age,
        };
        return message.size === 0
          ? emptyReply(304, replyHeaders)
          : textReply(JSON_TYPE, message.text, replyHeaders);
      },
    },
    streamingRoute(shared, { definitions, vary }),
  ];
}

function streamingRoute(
  shared: Pick<Route, "method" | "tags" | "security" | "audience" | "authenticate">,
  { definitions: { feeds, streams }, vary }: Omit<DefinitionsOptions, "authenticate">,
): Route {
  return {
    ...shared,
    path: "/client/streaming",
    // A response to HEAD would be useless without the stream.
    hasHead: false,
    summary: "Streams changes as server-sent events",
    description:
      "The first event, `unleash-connected`, contains the complete state, or the changes since " +
      "`Last-Event-ID`. Each change is an `unleash-updated` event. The data of events are deltas in " +
      "JSON. Comments repeat `X-Flags-Age-Seconds`, the time since the flags were confirmed. When too many streams are open, the response is a 503 with `Retry-After`.",
    query: DefinitionsQuery,
    responses: {
      200: { content: { "text/event-stream": { schema: Type.String() } }, description: "Events" },
      ...errorResponses(401, 503),
    },
    handle: ({ grant, request: { url = "", headers } }) => {
      const feed = feedOf(feeds, grant.flags, url);
      streams.checkCapacity(grant.key, feed);
      return {
        status: 200,
        headers: { vary, [AGE_HEADER]: writeAge(ageMsOf(grant.flags.source.flags)) },
        stream: {
          gzip: acceptsGzip(headers["accept-encoding"]),
          open: streams.opener({
            grant,
            feed,
            lastEventId: parseEventId(headers["last-event-id"]?.toString()),
          }),
        },
      };
    },
  };
}

function definitionsFor({ grant: { flags } }: Call): FeatureDefinitions {
  if (flags.definitions === undefined) throw notReady();
  return flags.definitions;
}

function feedOf(feeds: DefinitionsFeeds, flags: VisibleFlags, url: string): DefinitionsFeed {
  const feed = feeds.current(flags, parseDefinitionsQuery(url));
  if (feed === undefined) throw notReady();
  return feed;
}
