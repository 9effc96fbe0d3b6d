import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import type { ProjectAccess } from "../../access/project-access.ts";
import { listContextFields, updateContextField } from "../../domain/context-fields/store.ts";
import { listSegmentsByName, updateSegment } from "../../domain/segments/store.ts";
import { updateStrategyType } from "../../domain/strategy-types/store.ts";
import { listTagTypes } from "../../domain/tag-types.ts";
import { strategyTypes } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { hasSameConstraints, requireShared } from "../project-file/import-references.ts";
import type { FeatureInFile, ProjectFileContent } from "../project-file/schemas.ts";
import type { Bundle, Conflict, ImportItem } from "./bundle.ts";

/** The definitions of a bundle after they were compared with those that exist here. */
interface Reconciled {
  readonly items: readonly ImportItem[];
  /** Returns the definitions that a project file has to contain: those of the project, and on request the shared ones. */
  readonly definitionsFor: (project: string, includesShared: boolean) => DefinitionsInFile;
  /** Returns why a flag cannot be imported into a project; undefined if no definition prevents it. */
  readonly findBlocked: (flag: FeatureInFile, project: string) => Conflict | undefined;
}

type DefinitionsInFile = Pick<
  ProjectFileContent,
  "contextFields" | "segments" | "strategyTypes" | "tagTypes"
>;

interface Options {
  readonly access: ProjectAccess;
  /** Whether definitions that differ are replaced. */
  readonly overwrites: boolean;
}

interface Definition {
  readonly name: string;
  /** The only project that may use it. @default all may */
  readonly project?: string | undefined;
}

interface Stored {
  readonly name: string;
  readonly project?: string | null;
}

interface Comparison<Imported extends Definition, Here extends Stored> {
  readonly kind: string;
  readonly imported: readonly Imported[];
  readonly here: readonly Here[];
  /** Whether what flags depend on is the same. */
  readonly isSame: (imported: Imported, here: Here) => boolean;
  readonly update: (imported: Imported, here: Here) => Promise<void>;
}

interface Compared<Imported> {
  readonly items: readonly ImportItem[];
  /** Those that do not differ from what exists here: flags may use them. */
  readonly usable: readonly Imported[];
  /** Names of those that differ and stay as they are here. */
  readonly conflicts: ReadonlySet<string>;
}

/**
 * Compares the definitions of a bundle with those that exist here, and replaces those that differ, if it may. Descriptions do
 * not count, because no flag depends on them. A definition that differs and stays is a conflict, and so are the flags that use
 * it: they would reach other users.
 *
 * @throws {ApiError} if a definition cannot be replaced
 */
export async function reconcileDefinitions(
  transaction: WriteTransaction,
  { definitions, projects }: Pick<Bundle, "definitions" | "projects">,
  options: Options,
): Promise<Reconciled> {
  const { contextFields, segments, strategyTypes: types, tagTypes } = definitions;
  const usedSegments = projects
    .flatMap(({ file }) => file.features)
    .flatMap((flag) => strategiesOf(flag).flatMap((strategy) => strategy.segments ?? []));
  const { db } = transaction;
  const fieldsHere = await listContextFields(db);
  const typesHere = await db.select().from(strategyTypes);
  const segmentsHere = await listSegmentsByName(db, [...usedSegments, ...namesOf(segments)]);
  const fields = await compare(options, {
    kind: "context field",
    imported: contextFields,
    here: fieldsHere,
    isSame: ({ legalValues = [] }, { legalValues: stored }) => {
      const allowed = new Set(stored.map(({ value }) => value));
      if (allowed.size === 0) return true;
      return legalValues.length > 0 && legalValues.every(({ value }) => allowed.has(value));
    },
    update: ({ name, project = null, ...field }) =>
      updateContextField(transaction, { name }, { ...field, project }, options.access),
  });
  const comparedSegments = await compare(options, {
    kind: "segment",
    imported: segments,
    here: segmentsHere,
    isSame: (segment, stored) => hasSameConstraints(stored, segment),
    update: (segment, { id }) => updateSegment(transaction, id, segment, options.access),
  });
  const comparedTypes = await compare(options, {
    kind: "strategy type",
    imported: types,
    here: typesHere,
    isSame: ({ parameters = [] }, stored) =>
      sortedNames(parameters) === sortedNames(stored.parameters.map(toNamed)),
    update: ({ name, ...type }) => updateStrategyType(transaction, name, type),
  });
  const comparedTags = await compare(options, {
    kind: "tag type",
    imported: tagTypes,
    here: await listTagTypes(db),
    isSame: () => true,
    update: () => Promise.resolve(),
  });
  return {
    items: [fields, comparedSegments, comparedTypes, comparedTags].flatMap(({ items }) => items),
    definitionsFor: (project, includesShared) => ({
      contextFields: toFile(fields.usable, project, includesShared),
      segments: toFile(comparedSegments.usable, project, includesShared),
      ...(includesShared && {
        strategyTypes: [...comparedTypes.usable],
        tagTypes: [...comparedTags.usable],
      }),
    }),
    findBlocked: createBlockedCheck({
      fields: fields.conflicts,
      typeConflicts: comparedTypes.conflicts,
      types: new Set([...namesOf(typesHere), ...namesOf(types), ...BUILT_IN_STRATEGY_NAMES]),
      segmentConflicts: comparedSegments.conflicts,
      segmentOwners: new Map<string, string | null>([
        ...segments.map(({ name, project = null }) => [name, project] as const),
        ...segmentsHere.map(({ name, project }) => [name, project] as const),
      ]),
    }),
  };
}

async function compare<Imported extends Definition, Here extends Stored>(
  { access, overwrites }: Options,
  { kind, imported, here, isSame, update }: Comparison<Imported, Here>,
): Promise<Compared<Imported>> {
  const items: ImportItem[] = [];
  const usable: Imported[] = [];
  const conflicts = new Set<string>();
  const byName = new Map(here.map((stored) => [stored.name, stored]));
  for (const definition of imported) {
    const { name, project } = definition;
    const item = { kind, name, ...(project !== undefined && { project }) };
    const stored = byName.get(name);
    const owner = stored?.project ?? null;
    const isForeign = owner !== null && owner !== project;
    const keepsAsConflict = (conflict: Conflict): void => {
      items.push({ ...item, effect: "conflict", ...conflict });
      conflicts.add(name);
    };
    if (stored === undefined) {
      items.push({ ...item, effect: "created" });
      usable.push(definition);
    } else if (isForeign) {
      keepsAsConflict({ reason: "exists here for another project only" });
    } else if (isSame(definition, stored)) {
      items.push({ ...item, effect: "unchanged" });
    } else if (overwrites) {
      if (owner === null) requireShared(access);
      // oxlint-disable-next-line no-await-in-loop -- a transaction runs one statement at a time
      await update(definition, stored);
      items.push({ ...item, effect: "updated" });
    } else {
      keepsAsConflict({
        reason: "is different here, and other flags may use it",
        replaceable: true,
      });
    }
  }
  return { items, usable, conflicts };
}

/** Converts definitions of a project, or shared ones, to the form in project files. */
function toFile<T extends Definition>(
  definitions: readonly T[],
  project: string,
  includesShared: boolean,
): (Omit<T, "project"> & { readonly isShared: boolean })[] {
  return definitions
    .filter(({ project: owner }) => (owner === undefined ? includesShared : owner === project))
    .map(({ project: owner, ...definition }) => ({ ...definition, isShared: owner === undefined }));
}

interface Usable {
  /** Names of context fields that differ. */
  readonly fields: ReadonlySet<string>;
  readonly typeConflicts: ReadonlySet<string>;
  /** Names of all strategy types. */
  readonly types: ReadonlySet<string>;
  readonly segmentConflicts: ReadonlySet<string>;
  /** The only projects that may use segments, or null, by the names of all segments. */
  readonly segmentOwners: ReadonlyMap<string, string | null>;
}

function createBlockedCheck(usable: Usable): Reconciled["findBlocked"] {
  const { fields, typeConflicts, types, segmentConflicts, segmentOwners } = usable;
  return (flag, project) => {
    for (const { name, segments = [], constraints = [] } of strategiesOf(flag)) {
      if (!types.has(name)) return { reason: `uses the strategy type ${name}: create it first` };
      const missing = segments.find((one) => {
        const owner = segmentOwners.get(one);
        return owner === undefined || (owner !== null && owner !== project);
      });
      if (missing !== undefined) {
        const reason = `uses the segment ${missing}: create it first, for this project or for all`;
        return { reason };
      }
      const field = constraints.find(({ contextName }) => fields.has(contextName))?.contextName;
      const segment = segments.find((one) => segmentConflicts.has(one));
      if (typeConflicts.has(name)) return differs("strategy type", name);
      if (field !== undefined) return differs("context field", field);
      if (segment !== undefined) return differs("segment", segment);
    }
    return undefined;
  };
}

function differs(kind: string, name: string): Conflict {
  return { reason: `uses the ${kind} ${name}, which is different here`, replaceable: true };
}

function strategiesOf({ environments = [] }: FeatureInFile) {
  return environments.flatMap((environment) => environment.strategies);
}

/** They were checked before they were stored. */
function toNamed({ name }: Readonly<Record<string, unknown>>): Pick<Stored, "name"> {
  return { name: String(name) };
}

function sortedNames(named: readonly Pick<Stored, "name">[]): string {
  return namesOf(named).toSorted().join();
}

function namesOf(named: readonly Pick<Stored, "name">[]): string[] {
  return named.map(({ name }) => name);
}
