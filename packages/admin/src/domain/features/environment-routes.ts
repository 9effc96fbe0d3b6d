import type { TypedApp } from "../../http/typed-app.ts";
import { Type } from "typebox";
import { actorOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
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
  /** The end of the ids of the operations. */
  readonly suffix: "Off" | "On";
  readonly enabled: boolean;
}

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

  for (const change of [
    { action: "on", suffix: "On", enabled: true },
    { action: "off", suffix: "Off", enabled: false },
  ] as const) {
    registerSwitch(app, storage, change);
    registerBulkSwitch(app, storage, change);
  }
}

function registerSwitch(app: TypedApp, storage: Storage, change: Switch): void {
  const { action, suffix, enabled } = change;
  const options = operation({
    id: `toggleFeatureEnvironment${suffix}`,
    role: "editor",
    tag,
    summary: `Turns a flag ${action} in an environment`,
    empty: 200,
    alsoFailsWith: [400, 404],
    params: FeatureEnvironmentParams,
    querystring: SwitchQuery,
  });
  app.post(`${ONE}/${action}`, options, async (request, reply) => {
    const activatesDisabledStrategies = request.query.shouldActivateDisabledStrategies === "true";
    const { feature, ...at } = toFeatureEnvironmentAddress(request.params);
    await storage.write(actorOf(request), (transaction) =>
      switchFeatures(transaction, at, [feature], { enabled, activatesDisabledStrategies }),
    );
    return reply.send();
  });
}

function registerBulkSwitch(app: TypedApp, storage: Storage, change: Switch): void {
  const { action, suffix, enabled } = change;
  const options = operation({
    id: `bulkToggleFeaturesEnvironment${suffix}`,
    role: "editor",
    tag,
    summary: `Turns flags ${action} in an environment: all of them, or none`,
    empty: 200,
    alsoFailsWith: [404],
    params: BulkParams,
    querystring: SwitchQuery,
    body: BatchFeaturesBody,
  });
  const path: string = `/projects/:projectId/bulk_features/environments/:environment/${action}`;
  app.post(path, options, async (request, reply) => {
    const { projectId: project, environment } = request.params;
    const activatesDisabledStrategies = request.query.shouldActivateDisabledStrategies === "true";
    await storage.write(actorOf(request), async (transaction) => {
      // Also for an empty list.
      await checkProjectEnvironment(transaction.db, project, environment);
      const names = [...new Set(request.body.features)];
      const how = { enabled, activatesDisabledStrategies };
      await switchFeatures(transaction, { project, environment }, names, how);
    });
    return reply.send();
  });
}
