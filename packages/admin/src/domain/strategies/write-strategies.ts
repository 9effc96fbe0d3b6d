import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { exceedsLimit } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type CheckableStrategy, checkStrategy, readStrategyContext } from "./check-strategy.ts";
import { listStrategies, type StrategyWithSegments } from "./find-strategies.ts";
import { nextSortOrder } from "./next-sort-order.ts";
import { getStrategyAt, requirePlace, type StrategyPlace } from "./place.ts";
import type { CreateStrategy, UpdateStrategy } from "./schemas.ts";
import { replaceSegments } from "./strategy-segments.ts";
import { type StrategyView, toStrategyView } from "./strategy-view.ts";
import { switchOffWhenIdle } from "./switch-off-when-idle.ts";

export async function addStrategy(
  transaction: WriteTransaction,
  place: StrategyPlace,
  body: CreateStrategy,
): Promise<StrategyView> {
  const { db } = transaction;
  await requirePlace(db, place);
  const existing = await listStrategies(db, place);
  if (existing.length >= LIMITS.strategiesPerEnvironment) {
    throw exceedsLimit(
      "strategies of a feature in an environment",
      LIMITS.strategiesPerEnvironment,
    );
  }
  const checked = await check(db, place, body);
  const { feature, environment } = place;
  const row = firstRow(
    await db
      .insert(strategies)
      .values({
        ...checked.columns,
        id: randomUUID(),
        feature,
        environment,
        title: body.title ?? null,
        disabled: body.disabled ?? false,
        sortOrder: body.sortOrder ?? (await nextSortOrder(db, place)),
      })
      .returning(),
  );
  await replaceSegments(db, row.id, checked.segments);
  const view = toStrategyView({ ...row, segments: checked.segments });
  await transaction.record({ type: "feature-strategy-add", ...place, after: view });
  return view;
}

/**
 * Replaces a strategy. Constraints, variants and parameters that are not sent are emptied, as the
 * wire protocol has it; name, title, state and segments that are not sent stay.
 */
export async function replaceStrategy(
  transaction: WriteTransaction,
  at: StrategyPlace & { readonly id: string },
  body: UpdateStrategy,
): Promise<StrategyView> {
  const { db, record } = transaction;
  const { id, ...place } = at;
  await requirePlace(db, place);
  const before = await getStrategyAt(db, at);
  const checked = await check(db, place, {
    ...body,
    name: body.name ?? before.name,
    segments: body.segments ?? before.segments,
    previousCount: before.constraints.length,
  });
  const after = await update(db, before, {
    ...checked.columns,
    title: body.title === undefined ? before.title : body.title,
    disabled: body.disabled ?? before.disabled,
    sortOrder: body.sortOrder ?? before.sortOrder,
  });
  await replaceSegments(db, id, checked.segments);
  const view = toStrategyView({ ...after, segments: checked.segments });
  await record({
    type: "feature-strategy-update",
    ...place,
    before: toStrategyView(before),
    after: view,
  });
  await switchOffWhenIdle(transaction, place);
  return view;
}

/** Deletes a strategy; one that is not there is deleted already. */
export async function deleteStrategy(
  transaction: WriteTransaction,
  at: StrategyPlace & { readonly id: string },
): Promise<void> {
  const { db, record } = transaction;
  const { id, ...place } = at;
  await requirePlace(db, place);
  const before = (await listStrategies(db, place)).find((strategy) => strategy.id === id);
  if (before === undefined) return;
  await db.delete(strategies).where(eq(strategies.id, id));
  await record({ type: "feature-strategy-remove", ...place, before: toStrategyView(before) });
  await switchOffWhenIdle(transaction, place);
}

/** What a body says, once it has been found to be sound. */
async function check(db: Database, { feature, project }: StrategyPlace, body: CheckableStrategy) {
  return checkStrategy(body, feature, await readStrategyContext(db, project, [body]));
}

type Columns = Partial<Omit<StrategyWithSegments, "id" | "segments">>;

async function update(db: Database, { id }: StrategyWithSegments, columns: Columns) {
  return firstRow(
    await db.update(strategies).set(columns).where(eq(strategies.id, id)).returning(),
  );
}
