import { and, count, eq, inArray, isNull, type SQL } from "drizzle-orm";
import { compileInSteps, type FeatureDocument, parseDocument, type Snapshot } from "flags-engine";
import type { ClientFeature } from "../client-api/client-feature.ts";
import type { EnvironmentState } from "../client-api/environment-state.ts";
import { loadEnvironment } from "../client-api/load-environment.ts";
import { type Database, groupBy, isOneOf } from "../storage/database.ts";
import { dependencies, featureEnvironments, features } from "../storage/schema/features.ts";
import { strategies, STRATEGY_ORDER } from "../storage/schema/strategies.ts";
import { TimeSlice } from "../scheduling/time-slice.ts";
import type { FlagFilter } from "./schemas.ts";

export type StoredStrategy = typeof strategies.$inferSelect;

/** A flag as SDKs receive it, and the parts that only administrators see. */
export interface PlaygroundFeature {
  readonly feature: ClientFeature;
  /** In the order of evaluation, with disabled ones, which SDKs do not receive. */
  readonly strategies: readonly StoredStrategy[];
}

/** An environment to evaluate. */
export interface PlaygroundEnvironment {
  readonly name: string;
  /** Also contains the flags on which the result of the others depends. */
  readonly snapshot: Snapshot;
  /** The flags to evaluate. */
  readonly features: readonly PlaygroundFeature[];
  readonly segments: EnvironmentState["segments"];
}

/** Counts the flags to evaluate in each of the environments. Returns the largest number. */
export async function countFlags(
  db: Database,
  environments: readonly string[],
  filter: FlagFilter,
): Promise<number> {
  const counts = await db
    .select({ flags: count() })
    .from(features)
    .innerJoin(featureEnvironments, eq(featureEnvironments.feature, features.name))
    .where(and(inArray(featureEnvironments.environment, [...environments]), isWanted(filter)))
    .groupBy(featureEnvironments.environment);
  return Math.max(0, ...counts.map(({ flags }) => flags));
}

/** Loads and compiles the flags to evaluate in an environment. Must run in one transaction. */
export async function loadPlayground(
  db: Database,
  environment: string,
  filter: FlagFilter,
): Promise<PlaygroundEnvironment> {
  const wanted = await selectNames(db, filter);
  const loaded = await loadEnvironment(db, environment, 0, [
    ...wanted,
    ...(await selectParents(db, wanted)),
  ]);
  const rows = await db
    .select()
    .from(strategies)
    .where(and(eq(strategies.environment, environment), isOneOf(strategies.feature, wanted)))
    .orderBy(...STRATEGY_ORDER);
  const strategiesOf = groupBy(rows, ({ feature }) => feature);
  const document = parseDocument({
    features: loaded.features.map(({ feature }) => feature),
    segments: [...loaded.segments.values()].map(({ segment }) => segment),
  });
  const wantedNames = new Set(wanted);
  return {
    name: environment,
    snapshot: await compile(document),
    features: loaded.features
      .filter(({ feature }) => wantedNames.has(feature.name))
      .map(({ feature }) => ({ feature, strategies: strategiesOf.get(feature.name) ?? [] })),
    segments: loaded.segments,
  };
}

/** Compiles flags while other requests run in between. */
async function compile(document: FeatureDocument): Promise<Snapshot> {
  const steps = compileInSteps(document, { now: Date.now, random: Math.random });
  const slice = new TimeSlice();
  let step = steps.next();
  while (step.done !== true) {
    // oxlint-disable-next-line no-await-in-loop -- other requests run here
    if (slice.isOver) await slice.startNext();
    step = steps.next();
  }
  return step.value;
}

async function selectNames(db: Database, filter: FlagFilter): Promise<readonly string[]> {
  const rows = await db.select({ name: features.name }).from(features).where(isWanted(filter));
  return rows.map(({ name }) => name);
}

async function selectParents(db: Database, names: readonly string[]): Promise<readonly string[]> {
  const rows = await db
    .selectDistinct({ parent: dependencies.parent })
    .from(dependencies)
    .where(isOneOf(dependencies.child, names));
  return rows.map(({ parent }) => parent);
}

function isWanted({ projects, features: names }: FlagFilter): SQL | undefined {
  return and(
    isNull(features.archivedAt),
    projects === undefined || projects === "*" ? undefined : isOneOf(features.project, projects),
    names === undefined ? undefined : isOneOf(features.name, names),
  );
}
