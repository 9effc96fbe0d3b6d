import { and, count, eq, isNull, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import {
  ApiError,
  badData,
  exceedsLimit,
  mustExist,
  nameExists,
  unknownSegment,
} from "../../errors.ts";
import { type ProjectAccess, requireChangeable } from "../../access/project-access.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow, isOneOf, orderByText } from "../../storage/database.ts";
import type { StoredConstraint } from "../../storage/schema/json-values.ts";
import { features } from "../../storage/schema/features.ts";
import { segments, strategies, strategySegments } from "../../storage/schema/strategies.ts";
import type { NewEvent } from "../../storage/events.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { EditedResource } from "../conditional-change.ts";
import { checkConstraints } from "../constraints/check-constraints.ts";
import type { CheckCache } from "../constraints/check-cache.ts";
import { type LegalValuesOf, readLegalValues } from "../context-fields/legal-values.ts";
import { describeDefaultStrategy, listDefaultStrategiesWith } from "../default-strategies.ts";
import { checkInlinedSize, formatMebibytes } from "../environment-size.ts";
import { findProject } from "../projects/store.ts";
import {
  REFERENCE_COUNT,
  STRATEGY_REFERENCE,
  STRATEGY_REFERENCE_ORDER,
  UNUSED,
  type ReferenceCount,
} from "../strategy-references.ts";
import type { SegmentInput } from "./schemas.ts";

export type Segment = typeof segments.$inferSelect;

async function findSegment(db: Database, id: number): Promise<Segment | undefined> {
  const [segment] = await db.select().from(segments).where(eq(segments.id, id));
  return segment;
}

/**
 * @throws {ApiError} if the segment does not exist
 */
export async function getSegment(db: Database, id: number): Promise<Segment> {
  const segment = await findSegment(db, id);
  if (segment === undefined) throw unknownSegment(id);
  return segment;
}

/**
 * @throws {ApiError} if a segment other than `ownId` has the name
 */
export async function checkNameIsAvailable(
  db: Database,
  name: string,
  ownId?: number,
): Promise<void> {
  const [segment] = await db.select().from(segments).where(eq(segments.name, name));
  if (segment === undefined || segment.id === ownId) return;
  throw nameExists(`There is already a segment ${JSON.stringify(name)}`);
}

/** Converts a segment to the form in responses. `project` is absent if all projects may use it. */
export function toSegmentView({ project, ...segment }: Segment) {
  return { ...segment, ...(project !== null && { project }) };
}

/** Describes a segment for `writeIfMatch()`. */
export function editedSegment(id: number): EditedResource {
  return {
    label: "The segment",
    readView: async (db) => toSegmentView(await getSegment(db, id)),
    changes: { types: ["segment-created", "segment-updated"], containing: [{ id }] },
  };
}

/** Lists the segments with these ids by name. Unknown ids are ignored. */
export function listSegmentsById(db: Database, ids: readonly number[]): Promise<Segment[]> {
  return listSegmentsWith(db, segments.id, ids);
}

/** Lists the segments with these names by name. Unknown names are ignored. */
export function listSegmentsByName(db: Database, names: readonly string[]): Promise<Segment[]> {
  return listSegmentsWith(db, segments.name, names);
}

async function listSegmentsWith(
  db: Database,
  column: PgColumn,
  values: readonly (number | string)[],
): Promise<Segment[]> {
  if (values.length === 0) return [];
  const distinct = [...new Set(values)];
  return db
    .select()
    .from(segments)
    .where(isOneOf(column, distinct))
    .orderBy(orderByText(segments.name));
}

/** Lists the visible segments by name, with the number of active flags and projects that use them. */
export async function listSegments(db: Database, access: ProjectAccess) {
  const rows = await db
    .select()
    .from(segments)
    .where(access.isVisible(segments.project))
    .orderBy(orderByText(segments.name));
  const counts = await countReferences(db, access);
  return rows.map((segment) => ({
    ...toSegmentView(segment),
    ...(counts.get(segment.id) ?? UNUSED),
  }));
}

async function countReferences(
  db: Database,
  access: ProjectAccess,
): Promise<ReadonlyMap<number, ReferenceCount>> {
  const rows = await db
    .select({ id: strategySegments.segment, ...REFERENCE_COUNT })
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(isNull(features.archivedAt), access.isVisible(features.project)))
    .groupBy(strategySegments.segment);
  return new Map(rows.map(({ id, ...count }) => [id, count]));
}

interface ListedReferences {
  /** @default false */
  readonly includesArchived?: boolean;
  /** Whose flags are listed. @default all flags */
  readonly access?: ProjectAccess;
}

/** Lists the strategies that use a segment. */
export function listStrategiesUsing(
  db: Database,
  segment: number,
  { includesArchived = false, access }: ListedReferences = {},
) {
  return db
    .select(STRATEGY_REFERENCE)
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(
      and(
        eq(strategySegments.segment, segment),
        includesArchived ? undefined : isNull(features.archivedAt),
        access?.isVisible(features.project),
      ),
    )
    .orderBy(...STRATEGY_REFERENCE_ORDER);
}

/** Lists the segments of a strategy by id. Returns an empty list if the strategy is unknown or hidden. */
export async function listSegmentsOf(db: Database, strategy: string, access: ProjectAccess) {
  const rows = await db
    .select({ segment: segments })
    .from(strategySegments)
    .innerJoin(segments, eq(segments.id, strategySegments.segment))
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(eq(strategySegments.strategy, strategy), access.isVisible(features.project)))
    .orderBy(segments.id);
  return rows.map(({ segment }) => toSegmentView(segment));
}

/** What the checks of several segments can share. */
interface SegmentChecks {
  /** Legal values of the context fields. @default read from the database */
  readonly legalValuesOf?: LegalValuesOf | undefined;
  /** @default new checks */
  readonly checks?: CheckCache;
}

/**
 * @throws {ApiError} if the name is taken, a constraint is invalid, the project is unknown, or there are too many or too
 *   large segments
 */
export async function createSegment(
  transaction: WriteTransaction,
  body: SegmentInput,
): Promise<Segment> {
  const created = await addSegment(transaction, body);
  await checkSizeOfAll(transaction.db);
  return created;
}

/** Creates a segment without checking the size of all segments together. */
export async function addSegment(
  { db, actor, record }: WriteTransaction,
  body: SegmentInput,
  shared: SegmentChecks = {},
): Promise<Segment> {
  await checkNameIsAvailable(db, body.name);
  const { total } = firstRow(await db.select({ total: count() }).from(segments));
  if (total >= LIMITS.segments) throw exceedsLimit("segments", LIMITS.segments);
  const project = await chooseProject(db, body);
  const constraints = await check(db, { ...body, ...shared, project });
  const created = firstRow(
    await db
      .insert(segments)
      .values({
        name: body.name,
        description: body.description ?? null,
        project,
        constraints,
        createdBy: actor.name,
      })
      .returning(),
  );
  await record({ type: "segment-created", ...projectOf(created), after: toSegmentView(created) });
  return created;
}

/**
 * Replaces a segment. Without a project in the body, all projects may use the segment. An absent
 * description stays unchanged.
 *
 * @throws {ApiError} if the segment is unknown, its new name is taken, a constraint is invalid, a flag
 *   of another project uses it, or it is too large for the strategies that use it
 */
export async function updateSegment(
  { db, record }: WriteTransaction,
  id: number,
  body: SegmentInput,
  access: ProjectAccess,
): Promise<void> {
  const before = await getSegment(db, id);
  await checkNameIsAvailable(db, body.name, id);
  const project = await chooseProject(db, body);
  await checkNotUsedElsewhere(db, id, project, access);
  const after = firstRow(
    await db
      .update(segments)
      .set({
        name: body.name,
        description: body.description === undefined ? before.description : body.description,
        project,
        constraints: await check(db, { ...body, project, previous: before.constraints }),
      })
      .where(eq(segments.id, id))
      .returning(),
  );
  if (bytesOf(after.constraints) > bytesOf(before.constraints)) {
    await checkSizeOfAll(db);
    const references = await listStrategiesUsing(db, id);
    await checkInlinedSize(db, [...new Set(references.map(({ environment }) => environment))]);
  }
  await record({
    type: "segment-updated",
    ...projectOf(after),
    before: toSegmentView(before),
    after: toSegmentView(after),
  });
}

/** @param access of the caller, who must be able to change the archived flags with the segment */
export async function deleteSegment(
  { db, record }: WriteTransaction,
  id: number,
  access: ProjectAccess,
): Promise<void> {
  const before = await getSegment(db, id);
  const [reference] = await listStrategiesUsing(db, id);
  if (reference !== undefined) {
    const flag = nameFlag(reference, access);
    throw new ApiError(
      "ConflictError",
      `The segment is used by ${flag}: remove it from the strategy first`,
    );
  }
  const [place] = await listDefaultStrategiesWith(db, { segments: [id] });
  if (place !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The segment is used by ${describeDefaultStrategy(place, access)}: remove it there first`,
    );
  }
  const archived = await listStrategiesUsing(db, id, { includesArchived: true });
  requireChangeable(
    access,
    archived.map(({ projectId }) => projectId),
    "The segment is used by archived flags",
  );
  await record(...(await disableStrategiesUsing(db, id)));
  await db.delete(strategySegments).where(eq(strategySegments.segment, id));
  await db.delete(segments).where(eq(segments.id, id));
  await record({ type: "segment-deleted", ...projectOf(before), before: toSegmentView(before) });
}

/**
 * Disables the strategies of archived flags that use a segment: without it, a revived flag would be on for more users.
 * Returns the events.
 */
async function disableStrategiesUsing(db: Database, segment: number): Promise<NewEvent[]> {
  const references = await listStrategiesUsing(db, segment, { includesArchived: true });
  const disabled = await db
    .update(strategies)
    .set({ disabled: true })
    .where(
      and(
        eq(strategies.disabled, false),
        isOneOf(
          strategies.id,
          references.map(({ id }) => id),
        ),
      ),
    )
    .returning({ id: strategies.id });
  const ids = new Set(disabled.map(({ id }) => id));
  return references
    .filter(({ id }) => ids.has(id))
    .map(({ id, projectId, featureName, environment }) => ({
      type: "feature-strategy-update",
      project: projectId,
      feature: featureName,
      environment,
      before: { id, disabled: false },
      after: { id, disabled: true },
    }));
}

function projectOf({ project }: Segment): { readonly project?: string } {
  return project === null ? {} : { project };
}

async function chooseProject(db: Database, { project }: SegmentInput): Promise<string | null> {
  if (!project) return null;
  if ((await findProject(db, project)) === undefined) {
    throw mustExist("/body/project", "project", project);
  }
  return project;
}

async function checkNotUsedElsewhere(
  db: Database,
  id: number,
  project: string | null,
  access: ProjectAccess,
): Promise<void> {
  if (project === null) return;
  const references = await listStrategiesUsing(db, id, { includesArchived: true });
  const foreign = references.find(({ projectId }) => projectId !== project);
  if (foreign !== undefined) {
    throw badData(
      "/body/project",
      `must not be set to this project: ${nameFlag(foreign, access)} of another project uses the segment`,
    );
  }
  const places = await listDefaultStrategiesWith(db, { segments: [id] });
  const place = places.find((one) => one.project !== project);
  if (place === undefined) return;
  throw badData(
    "/body/project",
    `must not be set to this project: ${describeDefaultStrategy(place, access)} uses the segment`,
  );
}

function nameFlag(
  { featureName, projectId }: { readonly featureName: string; readonly projectId: string },
  access: ProjectAccess,
): string {
  return access.sees(projectId)
    ? `the flag ${JSON.stringify(featureName)}`
    : "a flag that you cannot see";
}

interface Unchecked extends SegmentChecks, Pick<SegmentInput, "constraints"> {
  readonly project: string | null;
  readonly previous?: readonly StoredConstraint[];
}

async function check(
  db: Database,
  { constraints, project, legalValuesOf, checks, previous = [] }: Unchecked,
): Promise<readonly StoredConstraint[]> {
  const valueCount = constraints.reduce((sum, { values = [] }) => sum + values.length, 0);
  if (valueCount > LIMITS.valuesPerSegment) {
    throw badData(
      "/body/constraints",
      `must contain at most ${LIMITS.valuesPerSegment} values, and contain ${valueCount}: use fewer, or several segments`,
    );
  }
  const checked = checkConstraints(constraints, {
    legalValuesOf: legalValuesOf ?? (await readLegalValues(db, namesOf(constraints), project)),
    path: "/body/constraints",
    previous,
    allowsLongLists: true,
    ...(checks !== undefined && { checks }),
  });
  // A segment that already exceeds the limit must be able to shrink.
  const bytes = bytesOf(checked);
  if (bytes > Math.max(LIMITS.segmentBytes, bytesOf(previous))) {
    throw badData(
      "/body/constraints",
      `must have at most ${formatMebibytes(LIMITS.segmentBytes)} as JSON, and have ${formatMebibytes(bytes)}: use fewer or shorter values`,
    );
  }
  return checked;
}

/**
 * Checks the size of all segments, after some were added or became larger.
 *
 * @throws {ApiError} if they are too large together
 */
export async function checkSizeOfAll(db: Database): Promise<void> {
  const { bytes } = firstRow(
    await db
      .select({ bytes: sql`sum(octet_length(${segments.constraints}::text))`.mapWith(Number) })
      .from(segments),
  );
  if (bytes <= LIMITS.allSegmentsBytes) return;
  throw new ApiError(
    "ExceedsLimitError",
    `All segments can have at most ${formatMebibytes(LIMITS.allSegmentsBytes)} together, and would have ${formatMebibytes(bytes)}: use fewer or shorter values`,
  );
}

function bytesOf(constraints: readonly StoredConstraint[]): number {
  return Buffer.byteLength(JSON.stringify(constraints));
}

function namesOf(constraints: SegmentInput["constraints"]): readonly string[] {
  return constraints.map(({ contextName }) => contextName);
}
