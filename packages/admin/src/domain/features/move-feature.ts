import { and, eq, notInArray, sql, type SQL } from "drizzle-orm";
import { ApiError, badData, quoteNames } from "../../errors.ts";
import {
  batchesOf,
  type Database,
  groupBy,
  isOneOf,
  sortDistinct,
} from "../../storage/database.ts";
import type { NewEvent } from "../../storage/events.ts";
import { dependencies, featureEnvironments, features } from "../../storage/schema/features.ts";
import { contextFields } from "../../storage/schema/projects.ts";
import { segments, strategies, strategySegments } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { FIELD_USES } from "../context-fields/references.ts";
import { type FeatureEnvironmentKey, toVariantsEvent } from "../feature-environment.ts";
import { type FeatureAddress, getActiveFeature } from "../feature.ts";
import { getActiveProject, listProjectEnvironments } from "../projects/store.ts";
import { listStrategiesOf, toStrategyView } from "../strategies/find-strategies.ts";
import { listFeatureEnvironments } from "./read-feature.ts";

/** What moving a flag to another project does. */
export interface Move {
  readonly oldProject: string;
  readonly newProject: string;
  /** Names of the flag and of the flags that dependencies connect with it: they move together. */
  readonly features: readonly string[];
  /** What is deleted, because the new project does not have the environment. */
  readonly removed: readonly RemovedState[];
  /** The environments that only the new project has. The flags are off there. */
  readonly addedEnvironments: readonly string[];
}

/** The numbers of strategies and variants of a flag in an environment. At least one of them is not 0. */
interface RemovedState {
  readonly feature: string;
  readonly environment: string;
  readonly strategies: number;
  readonly variants: number;
}

interface Plan {
  readonly move: Move;
  /** What stands in the way, as sentences without a full stop. */
  readonly problems: readonly string[];
  /** The events of what is deleted. */
  readonly removals: readonly NewEvent[];
  /** The environments of the new project. */
  readonly environments: readonly string[];
}

/**
 * Finds out what moving a flag would do, and what stands in the way.
 *
 * @throws {ApiError} if the flag or the project is unknown or archived, or the flag is in the project already
 */
export async function previewMove(
  db: Database,
  address: FeatureAddress,
  newProject: string,
): Promise<Move & Pick<Plan, "problems">> {
  const { move, problems } = await planMove(db, address, newProject);
  return { ...move, problems };
}

/**
 * Moves a flag to another project, with the flags that dependencies connect with it: a flag and its parent are always in
 * the same project.
 *
 * @throws {ApiError} as `previewMove()`, or if something stands in the way
 */
export async function moveFeature(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  newProject: string,
): Promise<Move> {
  const { move, problems, removals, environments } = await planMove(db, address, newProject);
  if (problems.length > 0) {
    throw new ApiError("InvalidOperationError", problems.join(". "), {
      details: problems.map((message) => ({ message, path: "/body/newProjectId" })),
    });
  }
  const { features: names, addedEnvironments, oldProject } = move;
  await db
    .delete(featureEnvironments)
    .where(
      and(
        isOneOf(featureEnvironments.feature, names),
        notInArray(featureEnvironments.environment, [...environments]),
      ),
    );
  await db.update(features).set({ project: newProject }).where(isOneOf(features.name, names));
  const added = names.flatMap((feature) =>
    addedEnvironments.map((environment) => ({ feature, environment })),
  );
  for (const batch of batchesOf(added)) await db.insert(featureEnvironments).values(batch);
  const moves = names.map((feature) => ({
    type: "feature-project-change" as const,
    project: newProject,
    feature,
    after: { oldProject, newProject },
  }));
  for (const batch of batchesOf([...removals, ...moves])) await record(...batch);
  return move;
}

async function planMove(db: Database, address: FeatureAddress, newProject: string): Promise<Plan> {
  const { name, project: oldProject } = await getActiveFeature(db, address);
  await getActiveProject(db, newProject);
  if (newProject === oldProject) {
    throw badData("/body/newProjectId", "must be another project: the flag is already in this one");
  }
  const names = await listConnected(db, name);
  const before = await listProjectEnvironments(db, oldProject);
  const after = await listProjectEnvironments(db, newProject);
  const lostStates = (await listFeatureEnvironments(db, names)).filter(
    (state) => !after.includes(state.name),
  );
  const lostStrategies = (await listStrategiesOf(db, names)).filter(
    ({ environment }) => !after.includes(environment),
  );
  const lostStrategiesOf = groupBy(lostStrategies, keyOf);
  const removed = lostStates.map(({ feature, name: environment, variants }) => ({
    feature,
    environment,
    strategies: lostStrategiesOf.get(keyOf({ feature, environment }))?.length ?? 0,
    variants: variants.length,
  }));
  const uses: Uses = { names, oldProject, environments: after };
  return {
    move: {
      oldProject,
      newProject,
      features: names,
      removed: removed.filter((one) => one.strategies + one.variants > 0),
      addedEnvironments: after.filter((environment) => !before.includes(environment)),
    },
    problems: [
      ...describeEnabled(lostStates, newProject),
      ...describeUses("segment", await listSegments(db, uses), oldProject),
      ...describeUses("context field", await listContextFields(db, uses), oldProject),
    ],
    removals: [
      ...lostStrategies.map((strategy) => ({
        type: "feature-strategy-remove" as const,
        project: oldProject,
        feature: strategy.feature,
        environment: strategy.environment,
        before: toStrategyView(strategy),
      })),
      ...lostStates.map(({ feature, name: environment, variants }) =>
        toVariantsEvent({ project: oldProject, feature, environment }, variants, []),
      ),
    ],
    environments: after,
  };
}

/** NOTE: names contain no slash, so keys are unique. */
function keyOf({ feature, environment }: FeatureEnvironmentKey): string {
  return `${feature}/${environment}`;
}

/** Lists a flag, its parent, and the children of both. There are no others: a parent has no parent. */
async function listConnected(db: Database, name: string): Promise<readonly string[]> {
  const [link] = await db.select().from(dependencies).where(eq(dependencies.child, name));
  const parent = link?.parent ?? name;
  const children = await db
    .select({ child: dependencies.child })
    .from(dependencies)
    .where(eq(dependencies.parent, parent));
  return sortDistinct([name, parent, ...children.map(({ child }) => child)]);
}

function describeEnabled(
  states: Awaited<ReturnType<typeof listFeatureEnvironments>>,
  project: string,
): readonly string[] {
  const enabled = states.filter((state) => state.enabled);
  return Array.from(
    groupBy(enabled, ({ name }) => name),
    ([environment, found]) =>
      `The project ${JSON.stringify(project)} does not have the environment ${JSON.stringify(environment)}, in which ${quoteFlags(found)} on: turn off what moves, or add the environment to the project`,
  );
}

/** What flags use in the environments that they keep. */
interface Uses {
  readonly names: readonly string[];
  readonly oldProject: string;
  readonly environments: readonly string[];
}

interface Use {
  readonly feature: string;
  /** Name of what the flag uses. */
  readonly used: string;
}

function listSegments(
  db: Database,
  { names, oldProject, environments }: Uses,
): PromiseLike<readonly Use[]> {
  return db
    .selectDistinct({ feature: strategies.feature, used: segments.name })
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(segments, eq(segments.id, strategySegments.segment))
    .where(
      and(
        isOneOf(strategies.feature, names),
        isOneOf(strategies.environment, environments),
        eq(segments.project, oldProject),
      ),
    );
}

function listContextFields(
  db: Database,
  { names, oldProject, environments }: Uses,
): PromiseLike<readonly Use[]> {
  return db
    .selectDistinct({ feature: sql<string>`uses.feature`, used: contextFields.name })
    .from(contextFields)
    .innerJoin(FIELD_USES, sql`uses.field = ${contextFields.name}`)
    .where(
      and(
        eq(contextFields.project, oldProject),
        isListed(sql`uses.feature`, names),
        isListed(sql`uses.environment`, environments),
      ),
    );
}

function isListed(column: SQL, values: readonly string[]): SQL {
  return sql`${column} in (select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
}

function describeUses(kind: string, uses: readonly Use[], project: string): readonly string[] {
  const byName = [...groupBy(uses, ({ used }) => used)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return byName.map(
    ([used, found]) =>
      `The ${kind} ${JSON.stringify(used)}, which ${quoteNames(sortDistinct(found.map(({ feature }) => feature)))} ${found.length === 1 ? "uses" : "use"}, is only for the project ${JSON.stringify(project)}: remove it from the strategies, or make it available to all projects`,
  );
}

function quoteFlags(found: readonly { readonly feature: string }[]): string {
  const names = sortDistinct(found.map(({ feature }) => feature));
  return `${quoteNames(names)} ${names.length === 1 ? "is" : "are"}`;
}
