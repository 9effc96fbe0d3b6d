import { inlineSegments, mustInlineSegments } from "flags-engine";
import type { TypedApp } from "flags-server-kit/http";
import { tokenOf } from "../access/request-identity.ts";
import { notFound } from "../errors.ts";
import { errorResponses } from "../http/schemas.ts";
import { selectFeatures } from "./environment-state.ts";
import type { EnvironmentCache } from "./environment-cache.ts";
import { DocumentCache, sendDocument } from "./feature-document.ts";
import { readFeatureQuery } from "./feature-query.ts";
import {
  FeatureNameParams,
  FeatureResponse,
  FeaturesResponse,
  FiltersQuery,
  NotModified,
} from "./schemas.ts";

const tags = ["Server SDKs"];
const CACHING = {
  "cache-control": "private, no-cache",
  vary: "Authorization, Unleash-Client-Spec, Accept-Encoding",
} as const;

/** Registers the endpoints for SDKs that poll: all flags, and one flag. */
export function registerClientFeatures(app: TypedApp, states: EnvironmentCache): void {
  const documents = new DocumentCache();

  app.get(
    "/features",
    {
      schema: {
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
