import { and, eq, isNull } from "drizzle-orm";
import { nameExists, notFound } from "../../errors.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import { segments } from "../../storage/schema/segments.ts";
import { strategies, strategySegments } from "../../storage/schema/strategies.ts";
import {
  STRATEGY_USE,
  STRATEGY_USE_ORDER,
  UNUSED,
  USE_COUNT,
  type UseCount,
} from "../strategies/strategy-use.ts";

export type Segment = typeof segments.$inferSelect;

/**
 * @throws {ApiError} when there is none of that id
 */
export async function getSegment(db: Database, id: number): Promise<Segment> {
  const [segment] = await db.select().from(segments).where(eq(segments.id, id));
  if (segment === undefined) throw notFound(`There is no segment ${id}`);
  return segment;
}

/**
 * @throws {ApiError} when another segment has the name
 */
export async function checkNameIsFree(db: Database, name: string, ownId?: number): Promise<void> {
  const [segment] = await db.select().from(segments).where(eq(segments.name, name));
  if (segment === undefined || segment.id === ownId) return;
  throw nameExists(`There is a segment ${JSON.stringify(name)}`);
}

/** A segment as responses show it: `project` is absent when every project can use the segment. */
export function toSegmentView({ project, ...segment }: Segment) {
  return { ...segment, ...(project !== null && { project }) };
}

/** All segments, and how many active flags of how many projects use each. */
export async function listSegments(db: Database) {
  const rows = await db.select().from(segments).orderBy(orderByText(segments.name));
  const uses = await countUses(db);
  return rows.map((segment) => ({
    ...toSegmentView(segment),
    ...(uses.get(segment.id) ?? UNUSED),
  }));
}

async function countUses(db: Database): Promise<ReadonlyMap<number, UseCount>> {
  const rows = await db
    .select({
      id: strategySegments.segment,
      ...USE_COUNT,
    })
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(isNull(features.archivedAt))
    .groupBy(strategySegments.segment);
  return new Map(rows.map(({ id, ...count }) => [id, count]));
}

/** Strategies that use a segment, those of archived flags too when asked for. */
export function listStrategiesUsing(
  db: Database,
  segment: number,
  { archived = false }: { readonly archived?: boolean } = {},
) {
  return db
    .select(STRATEGY_USE)
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(
      and(
        eq(strategySegments.segment, segment),
        archived ? undefined : isNull(features.archivedAt),
      ),
    )
    .orderBy(...STRATEGY_USE_ORDER);
}

/** The segments of a strategy; none when it is unknown. */
export async function listSegmentsOf(db: Database, strategy: string) {
  const rows = await db
    .select({ segment: segments })
    .from(strategySegments)
    .innerJoin(segments, eq(segments.id, strategySegments.segment))
    .where(eq(strategySegments.strategy, strategy))
    .orderBy(segments.id);
  return rows.map(({ segment }) => toSegmentView(segment));
}
