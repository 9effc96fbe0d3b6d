import { inlineSegments, mustInlineSegments, parseEventId } from "flags-engine";
import { acceptsGzip } from "flags-server-kit/neutral";
import { EventStream } from "flags-server-kit/http";
import { releaseRequest } from "../http/request-memory.ts";
import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { tokenOf } from "../access/request-identity.ts";
import { notFound } from "../errors.ts";
import { errorResponses, openObject } from "../http/schemas.ts";
import { selectFeatures } from "./environment-state.ts";
import type { EnvironmentCache } from "./environment-cache.ts";
import { DocumentCache, sendDocument } from "./feature-document.ts";
import { readFeatureQuery } from "./feature-query.ts";
import type { EnvironmentFeeds } from "./environment-feed.ts";
import { SdkStream, type SdkStreams } from "./sdk-streams.ts";

const oneOrMany = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      type: ["array", "string"],
      items: { type: "string" },
      description,
    }),
  );

const FiltersQuery = Type.Object({
  project: oneOrMany("Ids of projects. Only projects in the scope of the token are included"),
  namePrefix: Type.Optional(Type.String({ description: "Prefix of the names of the flags" })),
  tag: oneOrMany("`type:value`. Flags with at least one of these tags"),
});

const FeatureNameParams = Type.Object({ name: Type.String() });

const FeatureResponse = openObject("clientFeatureSchema", {
  name: Type.String(),
  type: Type.String(),
  enabled: Type.Boolean(),
  project: Type.String(),
  stale: Type.Boolean(),
  description: Type.Union([Type.String(), Type.Null()]),
  impressionData: Type.Boolean(),
  strategies: Type.Array(openObject("clientFeatureStrategySchema", { name: Type.String() })),
  variants: Type.Array(openObject("clientVariantSchema", {})),
});

const SegmentResponse = openObject("clientSegmentSchema", {
  id: Type.Integer(),
  name: Type.String(),
});

const FeaturesResponse = openObject("clientFeaturesSchema", {
  version: Type.Integer(),
  features: Type.Array(FeatureResponse),
  segments: Type.Optional(
    Type.Array(SegmentResponse, { description: "Omitted for SDKs that do not support segments" }),
  ),
  query: openObject("clientFeaturesQuerySchema", { environment: Type.String() }),
  meta: Type.Object(
    {
      revisionId: Type.Integer(),
      etag: Type.String(),
      queryHash: Type.String(),
    },
    { title: "clientFeaturesMetaSchema" },
  ),
});

const DeltaResponse = openObject("clientFeaturesDeltaSchema", {
  events: Type.Array(
    openObject("clientFeaturesDeltaEventSchema", { eventId: Type.Integer(), type: Type.String() }),
  ),
});

const NotModified = Type.Null({ description: "The client has the current version" });

const tags = ["Server SDKs"];
const CACHING = {
  "cache-control": "private, no-cache",
  vary: "Authorization, Unleash-Client-Spec, Accept-Encoding",
} as const;

/** Registers the endpoints for SDKs that poll for flags: all of them, and one. */
export function registerClientFeatures(app: TypedApp, states: EnvironmentCache): void {
  const documents = new DocumentCache();

  app.get(
    "/features",
    {
      schema: {
        operationId: "getAllClientFeatures",
        summary: "The definitions of all flags in the scope of the token",
        tags,
        querystring: FiltersQuery,
        response: {
          200: FeaturesResponse,
          304: NotModified,
          ...errorResponses(400, 401, 403, 503),
        },
      },
    },
    async (request, reply) => {
      const query = readFeatureQuery(tokenOf(request), request.query);
      const mustInline = mustInlineSegments(request.headers["unleash-client-spec"]);
      const state = await states.current(query.environment);
      const wanted = { ...query, inlineSegments: mustInline };
      const document = await documents.get(state, wanted, request.socket);
      reply.headers(CACHING);
      return sendDocument(request, reply, document);
    },
  );

  registerOneFeature(app, states);
}

function registerOneFeature(app: TypedApp, states: EnvironmentCache): void {
  app.get(
    "/features/:name",
    {
      schema: {
        operationId: "getClientFeature",
        summary: "The definition of one flag in the scope of the token",
        tags,
        params: FeatureNameParams,
        response: { 200: FeatureResponse, ...errorResponses(400, 401, 403, 404, 503) },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const mustInline = mustInlineSegments(request.headers["unleash-client-spec"]);
      const query = readFeatureQuery(tokenOf(request), {});
      const state = await states.current(query.environment);
      const { features, segments } = selectFeatures(state, query);
      const found = features.find(({ feature }) => feature.name === name);
      if (found === undefined) throw notFound(`There is no flag ${JSON.stringify(name)}`);
      reply.headers(CACHING);
      if (!mustInline) return reply.send(found.feature);
      const clientSegments = segments.map(({ segment }) => segment);
      return reply.send(inlineSegments([found.feature], clientSegments)[0]);
    },
  );
}

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
        operationId: "streamFeatures",
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

      streams.checkCapacity(token, feed);
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
        operationId: "getDelta",
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
