import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { badData, exceedsLimit, notFound } from "../../errors.ts";
import { compilePatch, type PatchOperation } from "../../http/json-patch.ts";
import { LIMITS } from "../../limits.ts";
import {
  batchesOf,
  type Database,
  firstRow,
  isEqualJson,
  isOneOf,
} from "../../storage/database.ts";
import type { NewEvent } from "../../storage/events.ts";
import type { StoredDefaultStrategy } from "../../storage/schema/json-values.ts";
import { strategies, strategySegments } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { findDefaultStrategy, type ProjectEnvironment } from "../default-strategies.ts";
import { checkAddedSize, checkEnvironmentSize, isLarger } from "../environment-size.ts";
import {
  checkFeatureEnvironment,
  type FeatureEnvironmentAddress,
  type FeatureEnvironmentKey,
  turnOff,
} from "../feature-environment.ts";
import { getProject } from "../projects/store.ts";
import {
  checkParameters,
  checkStrategy,
  readStrategyContext,
  type UncheckedStrategy,
} from "./check-strategy.ts";
import {
  getStrategy,
  listStrategies,
  nextSortOrder,
  sortOrderAfter,
  toStrategyView,
  type Strategy,
  type StrategyAddress,
  type StrategyView,
} from "./find-strategies.ts";
import {
  PatchedStrategy,
  type CreateStrategy,
  type StrategyOrder,
  type UpdateStrategy,
} from "./schemas.ts";
import { stopPlan } from "./stop-plan.ts";
import { addsSegments, replaceSegments } from "./strategy-segments.ts";

/**
 * Adds a strategy to a flag in one environment.
 *
 * @throws {ApiError} if the flag is unknown, archived or not part of the environment, has too many
 *   strategies there, or the strategy is invalid
 */
export async function addStrategy(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  body: CreateStrategy,
): Promise<StrategyView> {
  const { db } = transaction;
  await checkFeatureEnvironment(db, address);
  const existing = await listStrategies(db, address);
  if (existing.length >= LIMITS.strategiesPerEnvironment) {
    throw exceedsLimit("strategies of a flag in an environment", LIMITS.strategiesPerEnvironment);
  }
  const { columns, segments } = await check(db, address, body);
  const added = await insert(transaction, address, {
    ...columns,
    title: body.title ?? null,
    disabled: body.disabled ?? false,
    sortOrder: body.sortOrder ?? (await nextSortOrder(db, address)),
    segments,
  });
  await checkEnvironmentSize(db, address.environment);
  return added;
}

/** Matches every context. */
const FOR_EVERYONE: StoredDefaultStrategy = {
  name: "flexibleRollout",
  title: null,
  parameters: {},
  constraints: [],
  variants: [],
  segments: [],
};

/**
 * Adds the default strategy of the project, or else one that matches every context, to each flag. Returns the events.
 *
 * @throws {ApiError} if the flags of the environment would be too large
 */
export async function addDefaultStrategies(
  db: Database,
  { project, environment }: ProjectEnvironment,
  features: readonly string[],
  existing: ReadonlyMap<string, readonly Strategy[]>,
): Promise<readonly NewEvent[]> {
  if (features.length === 0) return [];
  const { defaultStickiness: stickiness } = await getProject(db, project);
  const stored = await findDefaultStrategy(db, { project, environment });
  const { segments, ...strategy } = stored ?? FOR_EVERYONE;
  checkAddedSize(environment, strategy, features.length);
  const rows = features.map((feature) => ({
    ...strategy,
    id: randomUUID(),
    feature,
    environment,
    sortOrder: sortOrderAfter(existing.get(feature)?.at(-1)?.sortOrder),
    parameters: checkParameters(strategy.name, strategy.parameters, {
      feature,
      stickiness,
      previous: strategy.parameters,
    }),
  }));
  const events: NewEvent[] = [];
  for (const batch of batchesOf(rows)) {
    const added = await db.insert(strategies).values(batch).returning();
    const links = added.flatMap(({ id }) => segments.map((segment) => ({ strategy: id, segment })));
    if (links.length > 0) await db.insert(strategySegments).values(links);
    events.push(
      ...added.map((row) => toAddEvent(project, row, toStrategyView({ ...row, segments }))),
    );
  }
  if (stored !== undefined) await checkEnvironmentSize(db, environment);
  return events;
}

function toAddEvent(
  project: string,
  { feature, environment }: FeatureEnvironmentKey,
  after: StrategyView,
): NewEvent {
  return { type: "feature-strategy-add", project, feature, environment, after };
}

/** Adds a strategy with the properties of one that exists. Checks neither these nor the size of the environment. */
export async function copyStrategy(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  { id: _id, ...strategy }: StrategyView,
): Promise<void> {
  await insert(transaction, address, strategy);
}

type NewStrategy = Omit<typeof strategies.$inferInsert, "environment" | "feature" | "id"> & {
  readonly segments: readonly number[];
};

async function insert(
  { db, record }: WriteTransaction,
  { project, feature, environment }: FeatureEnvironmentAddress,
  { segments, ...columns }: NewStrategy,
): Promise<StrategyView> {
  const row = firstRow(
    await db
      .insert(strategies)
      .values({ ...columns, id: randomUUID(), feature, environment })
      .returning(),
  );
  await replaceSegments(db, row.id, segments);
  const view = toStrategyView({ ...row, segments });
  await record(toAddEvent(project, row, view));
  return view;
}

/**
 * Replaces a strategy. As the wire protocol requires, absent constraints, variants and parameters
 * become empty; an absent name, title, state, sort order or list of segments stays unchanged.
 *
 * @throws {ApiError} if the flag or strategy is unknown, or the new strategy is invalid
 */
export async function replaceStrategy(
  transaction: WriteTransaction,
  address: StrategyAddress,
  body: UpdateStrategy,
): Promise<StrategyView> {
  const { db } = transaction;
  await checkFeatureEnvironment(db, address);
  const before = await getStrategy(db, address);
  const { columns, segments } = await check(db, address, {
    ...body,
    name: body.name ?? before.name,
    segments: body.segments ?? before.segments,
    previous: before,
  });
  const view = await update(transaction, address, {
    before,
    changes: {
      ...columns,
      title: body.title === undefined ? before.title : body.title,
      disabled: body.disabled ?? before.disabled,
      sortOrder: body.sortOrder ?? before.sortOrder,
      segments,
    },
  });
  if (!isEqualJson(view, toStrategyView(before))) await stopPlan(transaction, address);
  if (isLarger(view, toStrategyView(before)) || addsSegments(segments, before.segments)) {
    await checkEnvironmentSize(db, address.environment);
  }
  await turnOffWithoutStrategies(transaction, address);
  return view;
}

const applyPatch = compilePatch(PatchedStrategy);

/** Applies a JSON Patch (RFC 6902) to a strategy. */
export async function patchStrategy(
  transaction: WriteTransaction,
  address: StrategyAddress,
  patch: readonly PatchOperation[],
): Promise<StrategyView> {
  await checkFeatureEnvironment(transaction.db, address);
  const before = toStrategyView(await getStrategy(transaction.db, address));
  const { id, ...patched } = applyPatch(before, patch);
  if (id !== before.id) throw badData("/patched/id", "cannot be changed");
  // A patch applies to the whole strategy, so removed properties return to their defaults.
  const defaults = { title: null, disabled: false, segments: [] };
  return replaceStrategy(transaction, address, { ...defaults, ...patched });
}

/** Enables disabled strategies. Returns the events. */
export async function enableStrategies(
  db: Database,
  project: string,
  disabled: readonly Strategy[],
): Promise<readonly NewEvent[]> {
  const ids = disabled.map(({ id }) => id);
  await db.update(strategies).set({ disabled: false }).where(isOneOf(strategies.id, ids));
  return disabled.map((before) =>
    toUpdateEvent(project, before, toStrategyView({ ...before, disabled: false })),
  );
}

function toUpdateEvent(project: string, before: Strategy, after: StrategyView): NewEvent {
  const { feature, environment } = before;
  return {
    type: "feature-strategy-update",
    project,
    feature,
    environment,
    before: toStrategyView(before),
    after,
  };
}

/** Sets the percentage of a strategy, as its rollout plan says. */
export async function setRollout(
  transaction: WriteTransaction,
  address: StrategyAddress,
  rollout: number,
): Promise<void> {
  const before = await getStrategy(transaction.db, address);
  await update(transaction, address, {
    before,
    changes: { parameters: { ...before.parameters, rollout: String(rollout) } },
  });
}

interface Update {
  readonly before: Strategy;
  readonly changes: Partial<NewStrategy>;
}

async function update(
  { db, record }: WriteTransaction,
  { project }: FeatureEnvironmentAddress,
  { before, changes: { segments, ...columns } }: Update,
): Promise<StrategyView> {
  const row = firstRow(
    await db.update(strategies).set(columns).where(eq(strategies.id, before.id)).returning(),
  );
  if (segments !== undefined) await replaceSegments(db, before.id, segments);
  const view = toStrategyView({ ...row, segments: segments ?? before.segments });
  await record(toUpdateEvent(project, before, view));
  return view;
}

/** Deletes a strategy. Does nothing if it does not exist. */
export async function deleteStrategy(
  transaction: WriteTransaction,
  { id, ...address }: StrategyAddress,
): Promise<void> {
  const { db, record } = transaction;
  await checkFeatureEnvironment(db, address);
  const before = (await listStrategies(db, address)).find((strategy) => strategy.id === id);
  if (before === undefined)
    throw notFound("The flag has no strategy with this id in the environment");
  await db.delete(strategies).where(eq(strategies.id, id));
  await record({ type: "feature-strategy-remove", ...address, before: toStrategyView(before) });
  await turnOffWithoutStrategies(transaction, address);
}

/**
 * Turns a flag off if it has no enabled strategy: SDKs treat a flag without strategies as on for
 * everyone.
 */
export async function turnOffWithoutStrategies(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
): Promise<void> {
  const remaining = await listStrategies(transaction.db, address);
  if (remaining.every(({ disabled }) => disabled)) await turnOff(transaction, address);
}

/**
 * Sets the sort order of strategies of a flag in one environment.
 *
 * @throws {ApiError} if the flag or a strategy is unknown
 */
export async function orderStrategies(
  { db, record }: WriteTransaction,
  address: FeatureEnvironmentAddress,
  order: StrategyOrder,
): Promise<void> {
  await checkFeatureEnvironment(db, address);
  const before = await listOrder(db, address);
  for (const [index, { id, sortOrder }] of order.entries()) {
    if (!before.strategyIds.includes(id)) {
      throw badData(`/body/${index}/id`, "is not a strategy of the flag in this environment");
    }
    await db.update(strategies).set({ sortOrder }).where(eq(strategies.id, id));
  }
  const after = await listOrder(db, address);
  await record({ type: "strategy-order-changed", ...address, before, after });
}

async function listOrder(db: Database, address: FeatureEnvironmentAddress) {
  const strategiesInOrder = await listStrategies(db, address);
  return {
    strategyIds: strategiesInOrder.map(({ id }) => id),
    strategies: strategiesInOrder.map(({ id, sortOrder }) => ({ id, sortOrder })),
  };
}

async function check(
  db: Database,
  { feature, project }: FeatureEnvironmentAddress,
  strategy: UncheckedStrategy,
) {
  return checkStrategy(strategy, feature, await readStrategyContext(db, project, [strategy]));
}
