import { inArray } from "drizzle-orm";
import type { OperatorName } from "flags-engine";
import type { ConstraintInput } from "../../domain/constraints/check-constraints.ts";
import { type ContextField, listContextFields } from "../../domain/context-fields/store.ts";
import type { Segment } from "../../domain/segments/store.ts";
import { listTagTypes } from "../../domain/tag-types.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import type { StoredConstraint } from "../../storage/schema/json-values.ts";
import { strategyTypes } from "../../storage/schema/strategies.ts";
import type {
  DefaultStrategyInFile,
  FeatureInFile,
  ProjectFileContent,
  SegmentInFile,
  StrategyInFile,
} from "./schemas.ts";

type References = Pick<
  ProjectFileContent,
  "contextFields" | "segments" | "strategyTypes" | "tagTypes"
>;

interface Exported {
  readonly features: readonly FeatureInFile[];
  /** @default none */
  readonly defaultStrategies?: readonly DefaultStrategyInFile[];
  readonly segments: readonly Segment[];
}

/** Exports the definitions that flags and default strategies refer to by name, and the context fields of their segments. */
export async function exportReferences(db: Database, exported: Exported): Promise<References> {
  const { features, segments } = exported;
  const fieldNames = collectFieldNames(exported);
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
    strategyTypes: await listStrategyTypes(db, listStrategies(exported)),
  };
}

/** Collects the context fields that constraints, rollouts and variants use. */
function collectFieldNames({
  features,
  defaultStrategies = [],
  segments,
}: Exported): ReadonlySet<string> {
  const strategies = listStrategies({ features, defaultStrategies });
  const constraints = [
    ...segments.flatMap((segment) => segment.constraints),
    ...strategies.flatMap((strategy) => strategy.constraints ?? []),
  ];
  const variants = listEnvironments(features).flatMap((environment) => environment.variants ?? []);
  return new Set([
    ...constraints.map(({ contextName }) => contextName),
    ...strategies.map(({ parameters }) => String(parameters?.["stickiness"])),
    ...strategies.flatMap(({ variants = [] }) => variants.map(({ stickiness }) => stickiness)),
    ...variants.flatMap(({ stickiness = "" }) => stickiness),
    ...variants.flatMap(({ overrides = [] }) => overrides.map(({ contextName }) => contextName)),
  ]);
}

function listStrategies({
  features,
  defaultStrategies = [],
}: Omit<Exported, "segments">): readonly Omit<StrategyInFile, "disabled">[] {
  return [
    ...listEnvironments(features).flatMap(({ strategies }) => strategies),
    ...defaultStrategies,
  ];
}

function listEnvironments(features: readonly FeatureInFile[]) {
  return features.flatMap(({ environments = [] }) => environments);
}

function toFieldInFile({ name, description, stickiness, sortOrder, ...field }: ContextField) {
  return {
    name,
    ...(field.project !== null && { isShared: false }),
    ...(description !== null && { description }),
    stickiness,
    sortOrder,
    legalValues: [...field.legalValues],
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

async function listStrategyTypes(db: Database, used: readonly { readonly name: string }[]) {
  const names = [...new Set(used.map(({ name }) => name))];
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
    // They were checked against this schema before they were stored.
    parameters: parameters as { name: string }[],
  }));
}

/** Converts stored constraints to the form in which they can be imported. */
export function toConstraintsInFile(stored: readonly StoredConstraint[]): ConstraintInput[] {
  return stored.map((constraint) => ({
    ...constraint,
    // It was checked before it was stored.
    operator: constraint.operator as OperatorName,
    values: [...constraint.values],
  }));
}
