import { eq } from "drizzle-orm";
import { badData, notFound } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Segment } from "../segments/find-segments.ts";
import { type Database, isOneOf } from "../../storage/database.ts";
import { segments } from "../../storage/schema/segments.ts";
import { strategySegments } from "../../storage/schema/strategies.ts";

/** The segments of these ids; ids without a segment are left out. */
export async function findSegments(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Segment>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const rows = await db.select().from(segments).where(isOneOf(segments.id, distinct));
  return new Map(rows.map((segment) => [segment.id, segment]));
}

interface KnownSegments {
  readonly project: string;
  readonly segments: ReadonlyMap<number, Segment>;
}

/**
 * The ids without repetition, in ascending order.
 *
 * @throws {ApiError} when there are too many, one is unknown, or belongs to another project
 */
export function checkSegments(
  ids: readonly number[],
  { project, segments: known }: KnownSegments,
): readonly number[] {
  const distinct = [...new Set(ids)].toSorted((a, b) => a - b);
  if (distinct.length > LIMITS.segmentsPerStrategy) {
    throw badData("/body/segments", `must hold at most ${LIMITS.segmentsPerStrategy} segments`);
  }
  const unknown = distinct.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound(`There is no segment ${unknown}`);
  const foreign = distinct.find((id) => {
    const owner = known.get(id)?.project ?? null;
    return owner !== null && owner !== project;
  });
  if (foreign !== undefined) {
    throw badData("/body/segments", `holds a segment of another project: ${foreign}`);
  }
  return distinct;
}

/** Gives a strategy these segments and no others. */
export async function replaceSegments(
  db: Database,
  strategy: string,
  ids: readonly number[],
): Promise<void> {
  await db.delete(strategySegments).where(eq(strategySegments.strategy, strategy));
  if (ids.length === 0) return;
  await db.insert(strategySegments).values(ids.map((segment) => ({ strategy, segment })));
}
