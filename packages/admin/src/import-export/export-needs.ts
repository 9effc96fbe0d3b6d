import { inArray } from "drizzle-orm";
import { type ContextField, listContextFields } from "../domain/context-fields/store.ts";
import type { Segment } from "../domain/segments/find-segments.ts";
import { type Database, orderByText } from "../storage/database.ts";
import { strategyTypes } from "../storage/schema/strategies.ts";
import { listTagTypes } from "../domain/tags/tag-types.ts";
import { toConstraintsInFile } from "./to-constraints-in-file.ts";
import type { FeatureInFile, ProjectFileContent, SegmentInFile } from "./schemas.ts";

type Needs = Pick<ProjectFileContent, "contextFields" | "segments" | "strategyTypes" | "tagTypes">;

interface Exported {
  readonly features: readonly FeatureInFile[];
  readonly segments: readonly Segment[];
}

/** What features refer to by name, and what that refers to. */
export async function exportNeeds(db: Database, exported: Exported): Promise<Needs> {
  const { features, segments } = exported;
  const fieldNames = namesOfFields(exported);
  const tagTypeNames = new Set(features.flatMap(({ tags = [] }) => tags.map(({ type }) => type)));
  const fields = await listContextFields(db);
  const tagTypes = await listTagTypes(db);
  return {
    contextFields: fields
      .filter(({ name }) => fieldNames.has(name))
      .map(toFieldInFile)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    segments: segments.map(toSegmentInFile),
    tagTypes: tagTypes.filter(({ name }) => tagTypeNames.has(name)),
    strategyTypes: await listStrategyTypes(db, features),
  };
}

/** Fields that constraints compare with, or that rollouts and variants stick to. */
function namesOfFields({ features, segments }: Exported): ReadonlySet<string> {
  const strategies = listStrategies(features);
  const constraints = [
    ...segments.flatMap((segment) => segment.constraints),
    ...strategies.flatMap((strategy) => strategy.constraints ?? []),
  ];
  return new Set([
    ...constraints.map(({ contextName }) => contextName),
    ...strategies.map(({ parameters }) => String(parameters?.["stickiness"])),
    ...strategies.flatMap(({ variants = [] }) => variants.map(({ stickiness }) => stickiness)),
  ]);
}

function listStrategies(features: readonly FeatureInFile[]) {
  return features
    .flatMap(({ environments = [] }) => environments)
    .flatMap(({ strategies }) => strategies);
}

function toFieldInFile({ name, description, stickiness, sortOrder, legalValues }: ContextField) {
  return {
    name,
    ...(description !== null && { description }),
    stickiness,
    sortOrder,
    legalValues: [...legalValues],
  };
}

function toSegmentInFile({ name, description, project, constraints }: Segment): SegmentInFile {
  return {
    name,
    description,
    isShared: project === null,
    constraints: toConstraintsInFile(constraints),
  };
}

async function listStrategyTypes(db: Database, features: readonly FeatureInFile[]) {
  const names = [...new Set(listStrategies(features).map(({ name }) => name))];
  if (names.length === 0) return [];
  const rows = await db
    .select()
    .from(strategyTypes)
    .where(inArray(strategyTypes.name, names))
    .orderBy(orderByText(strategyTypes.name));
  return rows.map(({ name, title, description, parameters }) => ({
    name,
    title,
    description,
    // They were checked against the same schema when they were stored.
    parameters: parameters as { name: string }[],
  }));
}
