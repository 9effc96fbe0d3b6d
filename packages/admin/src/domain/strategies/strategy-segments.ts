import { eq } from "drizzle-orm";
import { badData, notFound } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, isEqualJson } from "../../storage/database.ts";
import { strategySegments } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { checkInlinedSize } from "../environment-size.ts";
import { getActiveFeature } from "../feature.ts";
import { listSegmentsById, type Segment } from "../segments/store.ts";
import { findStrategy, toStrategyView } from "./find-strategies.ts";
import type { StrategySegmentsInput } from "./schemas.ts";
import { stopPlan } from "./stop-plan.ts";

/** Segments by id. */
export type SegmentsById = ReadonlyMap<number, Segment>;

/** Reads the segments with these ids. Unknown ids are ignored. */
export async function readSegments(db: Database, ids: readonly number[]): Promise<SegmentsById> {
  const segments = await listSegmentsById(db, ids);
  return new Map(segments.map((segment) => [segment.id, segment]));
}

interface SegmentContext {
  readonly project: string;
  readonly segments: SegmentsById;
}

/**
 * Returns the distinct ids in ascending order.
 *
 * @throws {ApiError} if there are too many ids, or a segment is unknown or belongs to another project
 */
export function checkSegments(
  ids: readonly number[],
  { project, segments }: SegmentContext,
): readonly number[] {
  const distinct = [...new Set(ids)].toSorted((a, b) => a - b);
  if (distinct.length > LIMITS.segmentsPerStrategy) {
    throw badData("/body/segments", `must contain at most ${LIMITS.segmentsPerStrategy} segments`);
  }
  const unknown = distinct.find((id) => !segments.has(id));
  if (unknown !== undefined) throw notFound(`There is no segment ${unknown}`);
  const foreign = distinct.find((id) => {
    const owner = segments.get(id)?.project ?? null;
    return owner !== null && owner !== project;
  });
  if (foreign !== undefined) {
    throw badData("/body/segments", `contains a segment of another project: ${foreign}`);
  }
  return distinct;
}

/** Replaces the segments of a strategy. */
export async function replaceSegments(
  db: Database,
  strategy: string,
  ids: readonly number[],
): Promise<void> {
  await db.delete(strategySegments).where(eq(strategySegments.strategy, strategy));
  if (ids.length === 0) return;
  await db.insert(strategySegments).values(ids.map((segment) => ({ strategy, segment })));
}

/** Whether a strategy refers to a segment that it did not refer to before. */
export function addsSegments(after: readonly number[], before: readonly number[]): boolean {
  return after.some((id) => !before.includes(id));
}

/**
 * Replaces the segments of a strategy and records an event.
 *
 * @throws {ApiError} if the strategy, its flag or a segment is unknown or belongs to another project,
 *   or the segments are too large for the environment
 */
export async function assignSegments(
  transaction: WriteTransaction,
  { projectId, strategyId, environmentId, segmentIds }: StrategySegmentsInput,
): Promise<void> {
  const { db, record } = transaction;
  const before = await findStrategy(db, strategyId);
  if (before?.environment !== environmentId) {
    throw notFound(`There is no strategy ${JSON.stringify(strategyId)} in this environment`);
  }
  const { feature, environment } = before;
  await getActiveFeature(db, { project: projectId, feature });
  const segments = checkSegments(segmentIds, {
    project: projectId,
    segments: await readSegments(db, segmentIds),
  });
  await replaceSegments(db, strategyId, segments);
  if (addsSegments(segments, before.segments)) await checkInlinedSize(db, [environment]);
  if (!isEqualJson(segments, before.segments)) {
    await stopPlan(transaction, { project: projectId, feature, environment, id: strategyId });
  }
  await record({
    type: "feature-strategy-update",
    project: projectId,
    feature,
    environment,
    before: toStrategyView(before),
    after: toStrategyView({ ...before, segments }),
  });
}
