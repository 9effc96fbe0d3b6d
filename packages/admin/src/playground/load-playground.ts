import { and, eq } from "drizzle-orm";
import { compileSnapshot, parseDocument, type Snapshot } from "flags-engine";
import type { ClientFeature } from "../client-api/client-feature.ts";
import type { EnvironmentState, FeatureEntry } from "../client-api/environment-state.ts";
import { loadEnvironment } from "../client-api/load-environment.ts";
import { type Database, groupBy, isOneOf } from "../storage/database.ts";
import { strategies, STRATEGY_ORDER } from "../storage/schema/strategies.ts";

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
  readonly snapshot: Snapshot;
  readonly features: readonly PlaygroundFeature[];
  readonly segments: EnvironmentState["segments"];
}

/**
 * Loads and compiles an environment. Must run in one transaction.
 *
 * @param names the flags to evaluate; others are left out, unless the result of one of these depends on them.
 *   All if undefined
 */
export async function loadPlayground(
  db: Database,
  environment: string,
  names?: readonly string[],
): Promise<PlaygroundEnvironment> {
  const { features: all, segments } = await loadEnvironment(db, environment, 0);
  const features = names === undefined ? all : withParents(all, new Set(names));
  const rows = await db
    .select()
    .from(strategies)
    .where(
      and(
        eq(strategies.environment, environment),
        names === undefined ? undefined : isOneOf(strategies.feature, names),
      ),
    )
    .orderBy(...STRATEGY_ORDER);
  const strategiesOf = groupBy(rows, ({ feature }) => feature);
  const document = parseDocument({
    features: features.map(({ feature }) => feature),
    segments: [...segments.values()].map(({ segment }) => segment),
  });
  return {
    name: environment,
    snapshot: compileSnapshot(document, { now: Date.now, random: Math.random }),
    features: features.map(({ feature }) => ({
      feature,
      strategies: strategiesOf.get(feature.name) ?? [],
    })),
    segments,
  };
}

function withParents(
  features: readonly FeatureEntry[],
  names: ReadonlySet<string>,
): readonly FeatureEntry[] {
  const parents = new Set(
    features
      .filter(({ feature }) => names.has(feature.name))
      .flatMap(({ feature }) => (feature.dependencies ?? []).map((parent) => parent.feature)),
  );
  return features.filter(({ feature: { name } }) => names.has(name) || parents.has(name));
}
