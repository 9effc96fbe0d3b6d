import { inlineSegments } from "flags-engine";
import { tokenOf } from "../access/request-token.ts";
import { notFound } from "../errors.ts";
import { errorResponses } from "../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import { understandsSegments } from "./client-spec.ts";
import { DocumentCache } from "./document-cache.ts";
import type { EnvironmentStates } from "./environment-states.ts";
import { readFeatureQuery } from "./feature-query.ts";
import {
  FeatureNameParams,
  FeatureResponse,
  FeaturesResponse,
  FiltersQuery,
  NotModified,
} from "./schemas.ts";
import { selectFeatures } from "./select-features.ts";
import { sendDocument } from "./send-document.ts";

const tags = ["Server SDKs"];
const CACHING = {
  "cache-control": "private, no-cache",
  vary: "Authorization, Unleash-Client-Spec, Accept-Encoding",
} as const;

/** The flags as they are defined, for SDKs that poll. */
export function registerFeatures(app: TypedApp, states: EnvironmentStates): void {
  const documents = new DocumentCache();

  app.get(
    "/features",
    {
      schema: {
        summary: "The flags of the environment and the projects of the token",
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
      const supportsSegments = understandsSegments(request.headers["unleash-client-spec"]);
      const state = await states.current(query.environment);
      const document = documents.get(state, { ...query, inlineSegments: !supportsSegments });
      reply.headers(CACHING);
      return sendDocument(request, reply, document);
    },
  );

  registerOneFeature(app, states);
}

function registerOneFeature(app: TypedApp, states: EnvironmentStates): void {
  app.get(
    "/features/:name",
    {
      schema: {
        summary: "One flag of the environment and the projects of the token",
        tags,
        params: FeatureNameParams,
        response: { 200: FeatureResponse, ...errorResponses(400, 401, 403, 404, 503) },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const supportsSegments = understandsSegments(request.headers["unleash-client-spec"]);
      const query = readFeatureQuery(tokenOf(request), {});
      const state = await states.current(query.environment);
      const { features, segments } = selectFeatures(state, query);
      const found = features.find(({ feature }) => feature.name === name);
      if (found === undefined) throw notFound(`There is no flag ${JSON.stringify(name)}`);
      reply.headers(CACHING);
      if (supportsSegments) return reply.send(found.feature);
      const known = segments.map(({ segment }) => segment);
      return reply.send(inlineSegments([found.feature], known)[0]);
    },
  );
}
