import { and, count, eq, inArray, isNull, type SQL } from "drizzle-orm";
import { compileInSteps, type FeatureDocument, parseDocument, type Snapshot } from "flags-engine";
import type { ProjectAccess } from "../access/project-access.ts";
import type { ClientFeature } from "../client-api/client-feature.ts";
import { byName, type FeatureEntry, type SegmentEntry } from "../client-api/environment-state.ts";
import { loadFlags, loadSegments, SEGMENTS_PER_BATCH } from "../client-api/load-flags.ts";
import { AdaptiveBatches, takeSome } from "../scheduling/adaptive-batches.ts";
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
  readonly segments: ReadonlyMap<number, SegmentEntry>;
}

/** The flags to evaluate, of those that the caller can see. */
export interface VisibleFlags extends FlagFilter {
  readonly access: ProjectAccess;
}

/** Counts the flags to evaluate in each of the environments. Returns the largest number. */
export async function countFlags(
  db: Database,
  environments: readonly string[],
  filter: VisibleFlags,
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
  filter: VisibleFlags,
): Promise<PlaygroundEnvironment> {
  const wanted = new Set(await selectNames(db, filter));
  const parents = await selectParents(db, [...wanted]);
  const { entries, rows } = await loadInBatches(db, environment, new Set([...wanted, ...parents]));
  const strategiesOf = groupBy(rows, ({ feature }) => feature);
  const segments = await loadSegmentsOf(db, entries);
  const document = parseDocument({
    features: entries.map(({ feature }) => feature),
    segments: segments.map(({ segment }) => segment),
  });
  return {
    name: environment,
    snapshot: await compile(document),
    features: entries
      .filter(({ feature }) => wanted.has(feature.name))
      .map(({ feature }) => ({ feature, strategies: strategiesOf.get(feature.name) ?? [] })),
    segments: new Map(segments.map((entry) => [entry.segment.id, entry])),
  };
}

async function loadInBatches(db: Database, environment: string, missing: Set<string>) {
  const entries: FeatureEntry[] = [];
  const rows: StoredStrategy[] = [];
  const batches = new AdaptiveBatches();
  while (missing.size > 0) {
    await batches.runNext(missing, async (names) => {
      entries.push(...(await loadFlags(db, environment, names)));
      rows.push(
        ...(await db
          .select()
          .from(strategies)
          .where(and(eq(strategies.environment, environment), isOneOf(strategies.feature, names)))
          .orderBy(...STRATEGY_ORDER)),
      );
    });
  }
  return { entries: entries.toSorted(byName), rows };
}

async function loadSegmentsOf(
  db: Database,
  entries: readonly FeatureEntry[],
): Promise<readonly SegmentEntry[]> {
  const missing = new Set(entries.flatMap(({ segmentIds }) => [...segmentIds]));
  const loaded: SegmentEntry[] = [];
  while (missing.size > 0) {
    loaded.push(...(await loadSegments(db, takeSome(missing, SEGMENTS_PER_BATCH))));
  }
  return loaded;
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

async function selectNames(db: Database, filter: VisibleFlags): Promise<readonly string[]> {
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

function isWanted({ projects, features: names, access }: VisibleFlags): SQL | undefined {
  return and(
    isNull(features.archivedAt),
    access.isVisible(features.project),
    projects === undefined || projects === "*" ? undefined : isOneOf(features.project, projects),
    names === undefined ? undefined : isOneOf(features.name, names),
  );
}
