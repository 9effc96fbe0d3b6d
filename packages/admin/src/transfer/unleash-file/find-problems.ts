import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import { type Feature, findFeatures } from "../../domain/feature.ts";
import { readLegalValues } from "../../domain/context-fields/legal-values.ts";
import { compileFeatureNaming } from "../../domain/projects/feature-naming.ts";
import { findProject } from "../../domain/projects/store.ts";
import { listSegmentsByName } from "../../domain/segments/store.ts";
import { findWarnings } from "../../domain/strategies/strategy-warnings.ts";
import { type Database, groupBy } from "../../storage/database.ts";
import { strategyTypes } from "../../storage/schema/strategies.ts";
import type { UnleashImport } from "./schemas.ts";

/**
 * A reason why an import would fail, or something that an administrator should know before the
 * import.
 */
export interface Problem {
  readonly message: string;
  /** Names of flags, segments and so on. */
  readonly affectedItems: readonly string[];
}

/** The problems of an import in the database as it is. */
export interface Problems {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Names of archived flags, which an import leaves out. */
  readonly archived: ReadonlySet<string>;
}

/** Finds the reasons why an import would fail, and what to know before the import. */
export async function findProblems(db: Database, input: UnleashImport): Promise<Problems> {
  const { data, project } = input;
  const names = data.features.map(({ name }) => name);
  const existing = await findFeatures(db, names);
  const foreign = existing.filter((feature) => feature.project !== project);
  const own = existing.filter((feature) => feature.project === project);
  const archived = own.filter(({ archivedAt }) => archivedAt !== null).map(({ name }) => name);
  const active = own.filter(({ archivedAt }) => archivedAt === null).map(({ name }) => name);
  const custom = customStrategies(input);
  const types = await db.select({ name: strategyTypes.name }).from(strategyTypes);
  const known = new Set(types.map(({ name }) => name));
  return {
    archived: new Set(archived),
    errors: listProblems([
      ["Create these strategies first", custom.filter((name) => !known.has(name))],
      ["Create these segments first", await missingSegments(db, input)],
      ["These parent flags do not exist", await missingParents(db, input)],
      ["These context fields exist with other allowed values", await changedFields(db, input)],
      ["These flags exist in other projects", foreign.map(({ name }) => name)],
      ["These flags occur more than once", duplicatesOf(names)],
      [
        "The pattern for names in the project does not accept these flags",
        await rejectedNames(db, input, existing),
      ],
    ]),
    warnings: listProblems([
      [
        "Applications must implement these custom strategies as before, because only their names and parameters are imported",
        custom,
      ],
      [
        "Strategies of these flags have list entries that can never match, or percentages out of range",
        flagsWithWarnings(input),
      ],
      ["Links of these flags are left out: add them to the flags here", flagsWithLinks(input)],
      ["These flags are archived and are skipped", archived],
      ["These flags exist and are overwritten in the environment", active],
    ]),
  };
}

function listProblems(found: readonly (readonly [string, readonly string[]])[]): Problem[] {
  return found
    .filter(([, affectedItems]) => affectedItems.length > 0)
    .map(([message, affectedItems]) => ({ message, affectedItems }));
}

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_STRATEGY_NAMES);

function customStrategies({ data }: UnleashImport): readonly string[] {
  const names = data.featureStrategies.map(({ name }) => name);
  return distinct(names.filter((name) => !BUILT_IN.has(name)));
}

function flagsWithWarnings({ data }: UnleashImport): readonly string[] {
  const affected = data.featureStrategies.filter(
    ({ name, parameters = {} }) => findWarnings(name, parameters).length > 0,
  );
  return distinct(affected.map(({ featureName }) => featureName));
}

function flagsWithLinks({ data: { links = [] } }: UnleashImport): readonly string[] {
  const affected = links.filter((ofFlag) => ofFlag.links.length > 0);
  return distinct(affected.map(({ feature }) => feature));
}

/** Names of new flags that the rule of the project does not accept. */
async function rejectedNames(
  db: Database,
  { data, project }: UnleashImport,
  existing: readonly Feature[],
): Promise<readonly string[]> {
  const { featureNaming = null } = (await findProject(db, project)) ?? {};
  const accepts = compileFeatureNaming(featureNaming);
  const known = new Set(existing.map(({ name }) => name));
  return data.features.map(({ name }) => name).filter((name) => !known.has(name) && !accepts(name));
}

/** Segments are not part of an export, and segments of other projects cannot be used. */
async function missingSegments(db: Database, { data, project }: UnleashImport) {
  const nameOf = new Map((data.segments ?? []).map(({ id, name }) => [id, name]));
  const used = data.featureStrategies.flatMap(({ segments = [] }) => segments);
  const names = distinct(used.map((id) => nameOf.get(id) ?? String(id)));
  const found = await listSegmentsByName(db, names);
  const usable = found.filter((segment) => segment.project === null || segment.project === project);
  const known = new Set(usable.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

async function missingParents(db: Database, { data, project }: UnleashImport) {
  const parents = (data.dependencies ?? []).flatMap(({ dependencies }) =>
    dependencies.map(({ feature }) => feature),
  );
  const imported = new Set(data.features.map(({ name }) => name));
  const others = distinct(parents.filter((name) => !imported.has(name)));
  const found = await findFeatures(db, others);
  const active = found.filter((flag) => flag.project === project && flag.archivedAt === null);
  const known = new Set(active.map(({ name }) => name));
  return others.filter((name) => !known.has(name));
}

/** A field whose legal values lack one of the imported field would refuse some constraints. */
async function changedFields(
  db: Database,
  { project, data: { contextFields = [] } }: UnleashImport,
) {
  const legalValuesOf = await readLegalValues(
    db,
    contextFields.map(({ name }) => name),
    project,
  );
  return contextFields
    .filter(({ name, legalValues = [] }) => {
      const allowed = legalValuesOf(name);
      if (allowed === undefined) return true;
      return allowed.size > 0 && legalValues.some(({ value }) => !allowed.has(value));
    })
    .map(({ name }) => name);
}

function duplicatesOf(names: readonly string[]): readonly string[] {
  return [...groupBy(names, (name) => name)]
    .filter(([, equal]) => equal.length > 1)
    .map(([name]) => name);
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
