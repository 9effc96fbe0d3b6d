import { eq, inArray } from "drizzle-orm";
import { badData, notFound } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Database } from "../storage/database.ts";
import { segments } from "../storage/schema/segments.ts";
import { strategySegments } from "../storage/schema/strategies.ts";

/**
 * The ids without repetition, in ascending order.
 *
 * @throws {ApiError} when there are too many, one is unknown, or belongs to another project
 */
export async function checkSegments(
  db: Database,
  ids: readonly number[],
  project: string,
): Promise<readonly number[]> {
  const distinct = [...new Set(ids)].toSorted((a, b) => a - b);
  if (distinct.length > LIMITS.segmentsPerStrategy) {
    throw badData("/body/segments", `must hold at most ${LIMITS.segmentsPerStrategy} segments`);
  }
  if (distinct.length === 0) return [];
  const found = await db.select().from(segments).where(inArray(segments.id, distinct));
  const unknown = distinct.find((id) => found.every((segment) => segment.id !== id));
  if (unknown !== undefined) throw notFound(`There is no segment ${unknown}`);
  const foreign = found.find((segment) => segment.project !== null && segment.project !== project);
  if (foreign !== undefined) {
    throw badData("/body/segments", `holds a segment of another project: ${foreign.id}`);
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
