import { isDeepStrictEqual } from "node:util";
import { inArray } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { ProjectAccess } from "../../access/project-access.ts";
import { CheckCache } from "../../domain/constraints/check-cache.ts";
import { toStoredValue } from "../../domain/sdk-compatibility.ts";
import type { ConstraintInput } from "../../domain/constraints/check-constraints.ts";
import { checkUnique, checkUniqueNames } from "../../domain/check-unique.ts";
import {
  checkTotals,
  type LegalValuesOf,
  readLegalValues,
} from "../../domain/context-fields/legal-values.ts";
import { findForeignReferences } from "../../domain/context-fields/references.ts";
import { readDefaultStrategies } from "../../domain/default-strategies.ts";
import { setDefaultStrategy } from "../../domain/strategies/set-default-strategy.ts";
import { addContextField } from "../../domain/context-fields/store.ts";
import {
  addSegment,
  checkSizeOfAll,
  listSegmentsByName,
  type Segment,
} from "../../domain/segments/store.ts";
import { createStrategyType } from "../../domain/strategy-types/store.ts";
import { createTagType } from "../../domain/tag-types.ts";
import { ApiError, badData } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import type { StoredConstraint } from "../../storage/schema/json-values.ts";
import { strategyTypes } from "../../storage/schema/strategies.ts";
import { contextFields } from "../../storage/schema/projects.ts";
import { tagTypes } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { withErrorPathAsync } from "../../http/error-path.ts";
import type { DefaultStrategyInFile, ProjectFileContent, SegmentInFile } from "./schemas.ts";

/**
 * Creates the missing definitions that flags of the file refer to, and the missing default strategies. Existing definitions stay
 * unchanged because other projects may use them.
 *
 * @throws {ApiError} if a definition is invalid or occurs twice, or a segment exists with other
 *   constraints
 */
export async function importReferences(
  transaction: WriteTransaction,
  project: string,
  file: ProjectFileContent,
  access: ProjectAccess,
): Promise<void> {
  const { db } = transaction;
  await importMissing(db, file.tagTypes ?? [], {
    path: "/body/tagTypes",
    table: tagTypes,
    create: (type) => {
      requireShared(access);
      return createTagType(transaction, type);
    },
  });
  await importMissing(db, file.strategyTypes ?? [], {
    path: "/body/strategyTypes",
    table: strategyTypes,
    create: (type) => {
      requireShared(access);
      return createStrategyType(transaction, type);
    },
  });
  await importContextFields(transaction, { project, access }, file.contextFields ?? []);
  await importSegments(transaction, { project, access }, file.segments ?? []);
  await importDefaultStrategies(transaction, project, file.defaultStrategies ?? []);
}

/** @throws {ApiError} 403 if somebody may change only projects of their own */
export function requireShared(access: ProjectAccess): void {
  if (access.changesShared) return;
  throw new ApiError(
    "PermissionError",
    "This does not exist, all projects would share it, and you may change only your projects: contact an editor",
  );
}

interface Target {
  readonly project: string;
  readonly access: ProjectAccess;
}

interface Named {
  readonly name: string;
}

interface DefinitionType<T extends Named> {
  readonly path: string;
  readonly table: PgTable & { readonly name: PgColumn };
  readonly create: (item: T) => Promise<unknown>;
}

async function importMissing<T extends Named>(
  db: Database,
  items: readonly T[],
  { path, table, create }: DefinitionType<T>,
): Promise<void> {
  checkUniqueNames(items, path);
  if (items.length === 0) return;
  const names = items.map(({ name }) => name);
  const found = await db.select({ name: table.name }).from(table).where(inArray(table.name, names));
  const known = new Set(found.map(({ name }) => name));
  for (const [index, item] of items.entries()) {
    if (!known.has(item.name)) await withErrorPathAsync(`${path}/${index}`, () => create(item));
  }
}

async function importContextFields(
  transaction: WriteTransaction,
  { project, access }: Target,
  items: NonNullable<ProjectFileContent["contextFields"]>,
): Promise<void> {
  const { db } = transaction;
  const path = "/body/contextFields";
  const own = items.filter(({ isShared = true }) => !isShared).map(({ name }) => name);
  // Reads the constraints of all flags once for all fields.
  const foreignReferences = await findForeignReferences(db, own, project, access);
  await importMissing(db, items, {
    path,
    table: contextFields,
    create: ({ isShared = true, ...field }) => {
      if (isShared) requireShared(access);
      const owner = isShared ? null : project;
      return addContextField(
        transaction,
        { ...field, project: owner },
        { access, foreignReferences },
      );
    },
  });
  if (items.length > 0) await withErrorPathAsync(path, () => checkTotals(db));
}

async function importSegments(
  transaction: WriteTransaction,
  { project, access }: Target,
  items: readonly SegmentInFile[],
): Promise<void> {
  const path = "/body/segments";
  checkUniqueNames(items, path);
  const existing = await readSegmentsByName(
    transaction.db,
    items.map(({ name }) => name),
  );
  const legalValuesIn = await readLegalValuesOfSegments(transaction.db, project, items);
  const checks = new CheckCache();
  for (const [index, { isShared = true, ...segment }] of items.entries()) {
    await withErrorPathAsync(`${path}/${index}`, async () => {
      const found = existing.get(segment.name);
      const owner = isShared ? null : project;
      if (found !== undefined) checkSameConstraints(found, segment);
      else {
        if (isShared) requireShared(access);
        const input = { ...segment, project: owner };
        await addSegment(transaction, input, {
          checks,
          legalValuesOf: legalValuesIn.get(owner),
        });
      }
    });
  }
  if (items.length > 0) await withErrorPathAsync(path, () => checkSizeOfAll(transaction.db));
}

/** Reads the legal values of all segments at once, because many of them can use the same large fields. */
async function readLegalValuesOfSegments(
  db: Database,
  project: string,
  items: readonly SegmentInFile[],
): Promise<ReadonlyMap<string | null, LegalValuesOf>> {
  const names = items.flatMap(({ constraints }) =>
    constraints.map(({ contextName }) => contextName),
  );
  return new Map([
    [null, await readLegalValues(db, names, null)],
    [project, await readLegalValues(db, names, project)],
  ]);
}

async function importDefaultStrategies(
  transaction: WriteTransaction,
  project: string,
  items: readonly DefaultStrategyInFile[],
): Promise<void> {
  const path = "/body/defaultStrategies";
  checkUnique(
    items.map(({ environment }) => environment),
    (index) => `${path}/${index}/environment`,
  );
  const names = items.flatMap(({ segments = [] }) => segments);
  const known = await readSegmentsByName(transaction.db, names);
  const existing = await readDefaultStrategies(transaction.db, project);
  for (const [index, { environment, segments = [], ...strategy }] of items.entries()) {
    if (existing.has(environment)) continue;
    await withErrorPathAsync(`${path}/${index}`, () => {
      const ids = segments.map((name) => {
        const id = known.get(name)?.id;
        if (id !== undefined) return id;
        throw badData("/body/segments", `refers to an unknown segment: ${JSON.stringify(name)}`);
      });
      const body = { ...strategy, segments: ids };
      return setDefaultStrategy(transaction, { project, environment }, body);
    });
  }
}

/** A segment with the same name but other constraints would change who receives the flags. */
function checkSameConstraints(found: Segment, segment: SegmentInFile): void {
  if (hasSameConstraints(found, segment)) return;
  throw new ApiError(
    "ConflictError",
    `There is already a segment ${JSON.stringify(segment.name)} with different constraints: rename one of them`,
  );
}

/** Whether a stored segment selects the same users as one in a file. */
export function hasSameConstraints(
  stored: Segment,
  { constraints }: Pick<SegmentInFile, "constraints">,
): boolean {
  return isDeepStrictEqual(
    stored.constraints.map((constraint) => comparable(constraint)),
    constraints.map((constraint) => comparable(constraint)),
  );
}

function comparable({
  value = "",
  values = [],
  ...constraint
}: ConstraintInput | StoredConstraint) {
  return {
    inverted: false,
    caseInsensitive: false,
    ...constraint,
    values,
    value: toStoredValue(constraint.operator, value),
  };
}

/** Reads the segments with these names. Unknown names are ignored. */
export async function readSegmentsByName(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, Segment>> {
  const segments = await listSegmentsByName(db, names);
  return new Map(segments.map((segment) => [segment.name, segment]));
}
