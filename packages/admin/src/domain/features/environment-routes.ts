import { and, eq } from "drizzle-orm";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { actorOf } from "../../access/request-identity.ts";
import { documented } from "../../http/schemas.ts";
import { batchesOf, type Database, groupBy, isOneOf } from "../../storage/database.ts";
import type { NewEvent } from "../../storage/events.ts";
import { featureEnvironments } from "../../storage/schema/features.ts";
import type { Storage, WriteTransaction } from "../../storage/storage.ts";
import { noSuchEnvironment, toSwitchEvent } from "../feature-environment.ts";
import { checkActive, findFeatures } from "../feature.ts";
import { checkProjectEnvironment } from "../projects/store.ts";
import {
  BatchFeaturesBody,
  FeatureEnvironmentParams,
  toFeatureEnvironmentAddress,
} from "../schemas.ts";
import { listStrategiesIn, listWithEnabledStrategy } from "../strategies/find-strategies.ts";
import { addDefaultStrategies, enableStrategies } from "../strategies/write-strategies.ts";
import { readFeatureEnvironment } from "./read-feature.ts";

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

/** Routes that show flags in one environment and switch them on and off. */
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
      summary: `Switches a flag ${action} in an environment`,
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
      summary: `Switches flags ${action} in an environment: all of them, or none`,
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

/** An environment of a project. */
interface ProjectEnvironment {
  readonly project: string;
  readonly environment: string;
}

interface SwitchOptions {
  readonly enabled: boolean;
  /** Enables disabled strategies, if there are no others, instead of adding a default strategy. */
  readonly activatesDisabledStrategies: boolean;
}

/**
 * Switches flags on or off in one environment: all of them or none. A flag that is on has at least one enabled
 * strategy. The number of statements depends on the number of flags only through the size of batches.
 *
 * @param names distinct names of flags
 * @throws {ApiError} if a flag is unknown, archived, or not part of the environment
 */
export async function switchFeatures(
  { db, record }: WriteTransaction,
  at: ProjectEnvironment,
  names: readonly string[],
  { enabled, activatesDisabledStrategies }: SwitchOptions,
): Promise<void> {
  const states = await readStates(db, at, names);
  const strategyEvents = enabled
    ? await ensureEnabledStrategies(db, at, names, activatesDisabledStrategies)
    : [];
  const changing = new Set(names.filter((name) => states.get(name) !== enabled));
  await db
    .update(featureEnvironments)
    .set({ enabled })
    .where(isStateIn(at, [...changing]));
  const eventsOf = groupBy(strategyEvents, ({ feature }) => feature);
  const events = names.flatMap((feature) => [
    ...(eventsOf.get(feature) ?? []),
    ...(changing.has(feature) ? [toSwitchEvent({ ...at, feature }, enabled)] : []),
  ]);
  for (const batch of batchesOf(events)) await record(...batch);
}

/** Reads whether flags are on, by name. */
async function readStates(
  db: Database,
  at: ProjectEnvironment,
  names: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const features = new Map((await findFeatures(db, names)).map((one) => [one.name, one]));
  const rows = await db
    .select({ feature: featureEnvironments.feature, enabled: featureEnvironments.enabled })
    .from(featureEnvironments)
    .where(isStateIn(at, names));
  const states = new Map(rows.map(({ feature, enabled }) => [feature, enabled]));
  for (const feature of names) {
    checkActive(features.get(feature), { ...at, feature });
    // oxlint-disable-next-line no-await-in-loop -- only for the first one
    if (!states.has(feature)) throw await noSuchEnvironment(db, { ...at, feature });
  }
  return states;
}

function isStateIn({ environment }: ProjectEnvironment, names: readonly string[]) {
  return and(
    eq(featureEnvironments.environment, environment),
    isOneOf(featureEnvironments.feature, names),
  );
}

/** Returns the events of the strategies that were added or enabled. */
async function ensureEnabledStrategies(
  db: Database,
  at: ProjectEnvironment,
  names: readonly string[],
  activatesDisabled: boolean,
): Promise<readonly NewEvent[]> {
  const ready = await listWithEnabledStrategy(db, at.environment, names);
  const others = names.filter((name) => !ready.has(name));
  if (others.length === 0) return [];
  const disabled = await listStrategiesIn(db, at.environment, others);
  const byFeature = groupBy(disabled, ({ feature }) => feature);
  const toActivate = activatesDisabled ? disabled : [];
  const toExtend = others.filter((name) => !activatesDisabled || !byFeature.has(name));
  return [
    ...(await enableStrategies(db, at.project, toActivate)),
    ...(await addDefaultStrategies(db, at, toExtend, byFeature)),
  ];
}
