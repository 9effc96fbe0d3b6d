import { isDeepStrictEqual } from "node:util";
import { inArray } from "drizzle-orm";
import { createContextField } from "../domain/context-fields/store.ts";
import { ApiError, badData } from "../errors.ts";
import { type Database, isOneOf } from "../storage/database.ts";
import { contextFields } from "../storage/schema/context-fields.ts";
import { segments } from "../storage/schema/segments.ts";
import { strategyTypes } from "../storage/schema/strategies.ts";
import { tagTypes } from "../storage/schema/tags.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import type { Segment } from "../domain/segments/find-segments.ts";
import { createSegment } from "../domain/segments/write-segments.ts";
import { createStrategyType } from "../domain/strategies/strategy-types.ts";
import { createTagType } from "../domain/tags/tag-types.ts";
import { atPath } from "./at-path.ts";
import type { ProjectFileContent, SegmentInFile } from "./schemas.ts";

/**
 * Makes what features refer to and what is not there yet. What is there stays as it is: other
 * projects use it too.
 */
export async function importNeeds(
  transaction: WriteTransaction,
  project: string,
  file: ProjectFileContent,
): Promise<void> {
  const { db } = transaction;
  await importMissing(file.tagTypes ?? [], {
    path: "/body/tagTypes",
    existing: (names) =>
      db.select({ name: tagTypes.name }).from(tagTypes).where(inArray(tagTypes.name, names)),
    create: (type) => createTagType(transaction, type),
  });
  await importMissing(file.strategyTypes ?? [], {
    path: "/body/strategyTypes",
    existing: (names) =>
      db
        .select({ name: strategyTypes.name })
        .from(strategyTypes)
        .where(inArray(strategyTypes.name, names)),
    create: (type) => createStrategyType(transaction, type),
  });
  await importMissing(file.contextFields ?? [], {
    path: "/body/contextFields",
    existing: (names) =>
      db
        .select({ name: contextFields.name })
        .from(contextFields)
        .where(inArray(contextFields.name, names)),
    create: (field) => createContextField(transaction, field),
  });
  await importSegments(transaction, project, file.segments ?? []);
}

interface Named {
  readonly name: string;
}

interface Kind<T extends Named> {
  readonly path: string;
  readonly existing: (names: string[]) => Promise<readonly Named[]>;
  readonly create: (item: T) => Promise<unknown>;
}

async function importMissing<T extends Named>(
  items: readonly T[],
  { path, existing, create }: Kind<T>,
): Promise<void> {
  refuseRepetition(items, path);
  if (items.length === 0) return;
  const found = await existing(items.map(({ name }) => name));
  const known = new Set(found.map(({ name }) => name));
  for (const [index, item] of items.entries()) {
    if (!known.has(item.name)) await atPath(`${path}/${index}`, () => create(item));
  }
}

/**
 * @throws {ApiError} when a name is there twice
 */
export function refuseRepetition(items: readonly Named[], path: string): void {
  const seen = new Set<string>();
  for (const [index, { name }] of items.entries()) {
    if (seen.has(name)) {
      throw badData(`${path}/${index}/name`, `is there twice: ${JSON.stringify(name)}`);
    }
    seen.add(name);
  }
}

async function importSegments(
  transaction: WriteTransaction,
  project: string,
  items: readonly SegmentInFile[],
): Promise<void> {
  const path = "/body/segments";
  refuseRepetition(items, path);
  const existing = await findSegmentsByName(
    transaction.db,
    items.map(({ name }) => name),
  );
  for (const [index, { isShared = true, ...segment }] of items.entries()) {
    await atPath(`${path}/${index}`, async () => {
      const found = existing.get(segment.name);
      if (found !== undefined) checkIsAlike(found, segment);
      else await createSegment(transaction, { ...segment, project: isShared ? null : project });
    });
  }
}

/** Another audience under the same name would change who gets the features. */
function checkIsAlike(found: Segment, { name, constraints }: SegmentInFile): void {
  const wanted = constraints.map(({ value, values = [], ...constraint }) => ({
    inverted: false,
    caseInsensitive: false,
    ...constraint,
    values,
    ...(value !== undefined && value !== "" && { value }),
  }));
  if (isDeepStrictEqual(found.constraints, wanted)) return;
  throw new ApiError(
    "ConflictError",
    `There is a segment ${JSON.stringify(name)} with other constraints: rename one of them`,
  );
}

export async function findSegmentsByName(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, Segment>> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return new Map();
  const rows = await db.select().from(segments).where(isOneOf(segments.name, distinct));
  return new Map(rows.map((segment) => [segment.name, segment]));
}
