import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { actorOf } from "../../access/request-identity.ts";
import { documented } from "../../http/schemas.ts";
import type { Storage } from "../../storage/storage.ts";
import { checkProjectEnvironment } from "../projects/store.ts";
import {
  BatchFeaturesBody,
  FeatureEnvironmentParams,
  toFeatureEnvironmentAddress,
} from "../schemas.ts";
import { readFeatureEnvironment } from "./read-feature.ts";
import { switchFeatures } from "./switch-features.ts";

const tag = "Feature environments";
const ONE = "/projects/:projectId/features/:feature/environments/:environment";

const SwitchQuery = Type.Object({
  shouldActivateDisabledStrategies: Type.Optional(
    Type.String({
      description: "true: enables disabled strategies instead of adding a default one",
    }),
  ),
});

const BulkParams = Type.Object({ projectId: Type.String(), environment: Type.String() });

interface Switch {
  readonly action: "off" | "on";
  readonly enabled: boolean;
}

/** Routes that show flags in one environment and turn them on and off. */
export function registerFeatureEnvironments(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    {
      schema: {
        ...documented({ tag, summary: "Shows a flag in one environment", alsoFailsWith: [404] }),
        params: FeatureEnvironmentParams,
      },
    },
    ({ params }) =>
      storage.read((db) => readFeatureEnvironment(db, toFeatureEnvironmentAddress(params))),
  );

  for (const operation of [
    { action: "on", enabled: true },
    { action: "off", enabled: false },
  ] as const) {
    registerSwitch(app, storage, operation);
    registerBulkSwitch(app, storage, operation);
  }
}

function registerSwitch(app: TypedApp, storage: Storage, { action, enabled }: Switch): void {
  const schema = {
    ...documented({
      tag,
      summary: `Turns a flag ${action} in an environment`,
      empty: 200,
      alsoFailsWith: [400, 404],
    }),
    params: FeatureEnvironmentParams,
    querystring: SwitchQuery,
  };
  app.post(`${ONE}/${action}`, { schema }, async (request, reply) => {
    const activatesDisabledStrategies = request.query.shouldActivateDisabledStrategies === "true";
    const { feature, ...at } = toFeatureEnvironmentAddress(request.params);
    await storage.write(actorOf(request), (transaction) =>
      switchFeatures(transaction, at, [feature], { enabled, activatesDisabledStrategies }),
    );
    return reply.send();
  });
}

function registerBulkSwitch(app: TypedApp, storage: Storage, { action, enabled }: Switch): void {
  const schema = {
    ...documented({
      tag,
      summary: `Turns flags ${action} in an environment: all of them, or none`,
      empty: 200,
      hasBody: true,
      alsoFailsWith: [404],
    }),
    params: BulkParams,
    querystring: SwitchQuery,
    body: BatchFeaturesBody,
  };
  const path: string = `/projects/:projectId/bulk_features/environments/:environment/${action}`;
  app.post(path, { schema }, async (request, reply) => {
    const { projectId: project, environment } = request.params;
    const activatesDisabledStrategies = request.query.shouldActivateDisabledStrategies === "true";
    await storage.write(actorOf(request), async (transaction) => {
      // Also for an empty list.
      await checkProjectEnvironment(transaction.db, project, environment);
      const names = [...new Set(request.body.features)];
      const options = { enabled, activatesDisabledStrategies };
      await switchFeatures(transaction, { project, environment }, names, options);
    });
    return reply.send();
  });
}
