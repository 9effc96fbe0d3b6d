import { Type } from "typebox";
import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { readFeatureEnvironment } from "./read-feature.ts";
import { BatchFeaturesBody, FeatureEnvironmentParams } from "./schemas.ts";
import { switchFeature } from "./switch-feature.ts";

const tag = "Feature environments";
const ONE = "/projects/:projectId/features/:feature/environments/:environment";

const SwitchQuery = Type.Object({
  shouldActivateDisabledStrategies: Type.Optional(
    Type.String({ description: "true: enables disabled strategies instead of adding one" }),
  ),
});

const BulkParams = Type.Object({ projectId: Type.String(), environment: Type.String() });

interface Switch {
  readonly word: "off" | "on";
  readonly enabled: boolean;
}

/** Switching flags on and off. */
export function registerFeatureEnvironments(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    {
      schema: {
        ...documented({ tag, summary: "Shows a feature in one environment", alsoFailsWith: [404] }),
        params: FeatureEnvironmentParams,
      },
    },
    ({ params: { projectId: project, feature, environment } }) =>
      storage.read((db) => readFeatureEnvironment(db, { project, feature, environment })),
  );

  for (const way of [
    { word: "on", enabled: true },
    { word: "off", enabled: false },
  ] as const) {
    registerSwitch(app, storage, way);
    registerBulkSwitch(app, storage, way);
  }
}

function registerSwitch(app: TypedApp, storage: Storage, { word, enabled }: Switch): void {
  const schema = {
    ...documented({
      tag,
      summary: `Switches a feature ${word} in an environment`,
      empty: 200,
      alsoFailsWith: [400, 404],
    }),
    params: FeatureEnvironmentParams,
    querystring: SwitchQuery,
  };
  app.post(`${ONE}/${word}`, { schema }, async (request, reply) => {
    const { projectId: project, feature, environment } = request.params;
    const activatesDisabledStrategies = request.query.shouldActivateDisabledStrategies === "true";
    await storage.write(actorOf(request), (transaction) =>
      switchFeature(
        transaction,
        { project, feature, environment },
        { enabled, activatesDisabledStrategies },
      ),
    );
    return reply.send();
  });
}

/** All or nothing. */
function registerBulkSwitch(app: TypedApp, storage: Storage, { word, enabled }: Switch): void {
  const schema = {
    ...documented({
      tag,
      summary: `Switches several features ${word} in an environment, all or none`,
      empty: 200,
      hasBody: true,
      alsoFailsWith: [404],
    }),
    params: BulkParams,
    querystring: SwitchQuery,
    body: BatchFeaturesBody,
  };
  const path: string = `/projects/:projectId/bulk_features/environments/:environment/${word}`;
  app.post(path, { schema }, async (request, reply) => {
    const { projectId: project, environment } = request.params;
    const activatesDisabledStrategies = request.query.shouldActivateDisabledStrategies === "true";
    await storage.write(actorOf(request), async (transaction) => {
      for (const feature of new Set(request.body.features)) {
        await switchFeature(
          transaction,
          { project, feature, environment },
          { enabled, activatesDisabledStrategies },
        );
      }
    });
    return reply.send();
  });
}
