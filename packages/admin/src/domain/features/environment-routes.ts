import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import type { Storage } from "../../storage/storage.ts";
import { IfMatchHeaders, withEntityTag, writeIfMatch } from "../conditional-change.ts";
import { checkProjectEnvironment } from "../projects/store.ts";
import {
  BatchFeaturesBody,
  BatchOffBody,
  FeatureEnvironmentParams,
  ReasonBody,
  toFeatureEnvironmentAddress,
} from "../schemas.ts";
import { editedRules, replaceRules } from "./environment-rules.ts";
import { EnvironmentRulesBody } from "./schemas.ts";
import { readFeatureEnvironment } from "./read-feature.ts";
import { switchFeatures } from "./switch-features.ts";
import { turnOffNow } from "./turn-off-now.ts";

const tag = "Feature environments";
const ONE = "/projects/:projectId/features/:feature/environments/:environment";
const BULK = "/projects/:projectId/bulk_features/environments/:environment";

const SwitchQuery = Type.Object({
  shouldActivateDisabledStrategies: Type.Optional(
    Type.String({
      description: "true: enables disabled strategies instead of adding a default one",
    }),
  ),
});

const BulkParams = Type.Object({ projectId: Type.String(), environment: Type.String() });

/** Routes that show flags in one environment and turn them on and off. */
export function registerFeatureEnvironments(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    operation({
      id: "getFeatureEnvironment",
      role: "viewer",
      tag,
      summary: "Shows a flag in one environment",
      alsoFailsWith: [404],
      params: FeatureEnvironmentParams,
    }),
    ({ params }) =>
      storage.read((db) => readFeatureEnvironment(db, toFeatureEnvironmentAddress(params))),
  );

  registerRules(app, storage);
  registerSwitchingOn(app, storage);
  registerSwitchingOff(app, storage);
}

function registerRules(app: TypedApp, storage: Storage): void {
  const path = `${ONE}/rules` as const;
  app.get(
    path,
    operation({
      id: "getFeatureEnvironmentRules",
      role: "viewer",
      tag,
      summary: "Shows what a flag does in an environment, with an ETag",
      alsoFailsWith: [404],
      params: FeatureEnvironmentParams,
    }),
    async ({ params }, reply) => {
      const { readView } = editedRules(toFeatureEnvironmentAddress(params));
      return withEntityTag(reply, await storage.read(readView));
    },
  );

  app.put(
    path,
    operation({
      id: "replaceFeatureEnvironmentRules",
      role: "editor",
      tag,
      summary:
        "Replaces all strategies and variants of a flag in an environment: all of them, or none",
      alsoFailsWith: [404, 412],
      headers: IfMatchHeaders,
      params: FeatureEnvironmentParams,
      body: EnvironmentRulesBody,
    }),
    async (request, reply) => {
      const address = toFeatureEnvironmentAddress(request.params);
      const view = await writeIfMatch(storage, request, editedRules(address), (transaction) =>
        replaceRules(transaction, address, request.body),
      );
      return withEntityTag(reply, view);
    },
  );
}

function registerSwitchingOn(app: TypedApp, storage: Storage): void {
  app.post(
    `${ONE}/on`,
    operation({
      id: "toggleFeatureEnvironmentOn",
      role: "editor",
      tag,
      summary: "Turns a flag on in an environment",
      empty: 200,
      alsoFailsWith: [400, 404],
      params: FeatureEnvironmentParams,
      querystring: SwitchQuery,
    }),
    async (request, reply) => {
      const { feature, ...at } = toFeatureEnvironmentAddress(request.params);
      await storage.write(actorOf(request), (transaction) =>
        switchFeatures(transaction, at, [feature], toSwitchOn(request.query)),
      );
      return reply.send();
    },
  );

  app.post(
    `${BULK}/on`,
    operation({
      id: "bulkToggleFeaturesEnvironmentOn",
      role: "editor",
      tag,
      summary: "Turns flags on in an environment: all of them, or none",
      empty: 200,
      alsoFailsWith: [404],
      params: BulkParams,
      querystring: SwitchQuery,
      body: BatchFeaturesBody,
    }),
    async (request, reply) => {
      const { projectId: project, environment } = request.params;
      await storage.write(actorOf(request), async (transaction) => {
        // Also for an empty list.
        await checkProjectEnvironment(transaction.db, project, environment);
        const names = [...new Set(request.body.features)];
        await switchFeatures(
          transaction,
          { project, environment },
          names,
          toSwitchOn(request.query),
        );
      });
      return reply.send();
    },
  );
}

function toSwitchOn(query: Type.Static<typeof SwitchQuery>) {
  return {
    enabled: true,
    activatesDisabledStrategies: query.shouldActivateDisabledStrategies === "true",
  };
}

const OFF_DESCRIPTION =
  "Where changes require approvals, a `reason` turns flags off without them, and is recorded.";

function registerSwitchingOff(app: TypedApp, storage: Storage): void {
  app.post(
    `${ONE}/off`,
    {
      preValidation: acceptNoBody,
      ...operation({
        id: "toggleFeatureEnvironmentOff",
        role: "editor",
        tag,
        summary: "Turns a flag off in an environment",
        description: OFF_DESCRIPTION,
        empty: 200,
        alsoFailsWith: [404],
        params: FeatureEnvironmentParams,
        querystring: SwitchQuery,
        body: ReasonBody,
      }),
    },
    async (request, reply) => {
      const { feature, ...at } = toFeatureEnvironmentAddress(request.params);
      await storage.write(actorOf(request), (transaction) =>
        turnOffNow(transaction, at, [feature], request.body.reason),
      );
      return reply.send();
    },
  );

  app.post(
    `${BULK}/off`,
    operation({
      id: "bulkToggleFeaturesEnvironmentOff",
      role: "editor",
      tag,
      summary: "Turns flags off in an environment: all of them, or none",
      description: OFF_DESCRIPTION,
      empty: 200,
      alsoFailsWith: [404],
      params: BulkParams,
      querystring: SwitchQuery,
      body: BatchOffBody,
    }),
    async (request, reply) => {
      const { projectId: project, environment } = request.params;
      const { features, reason } = request.body;
      await storage.write(actorOf(request), async (transaction) => {
        await checkProjectEnvironment(transaction.db, project, environment);
        await turnOffNow(transaction, { project, environment }, [...new Set(features)], reason);
      });
      return reply.send();
    },
  );
}

/** Most clients turn a flag off without a body. */
async function acceptNoBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}
