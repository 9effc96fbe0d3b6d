import { eq } from "drizzle-orm";
import { BUILT_IN_STRATEGY_NAMES, findStrategyType } from "flags-engine";
import { ApiError, invalidOperation, mustExist, nameExists, notFound } from "../../errors.ts";
import { type Database, firstRow, orderByText } from "../../storage/database.ts";
import { strategies, strategyTypes } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { ProjectAccess } from "../../access/project-access.ts";
import { describeDefaultStrategy, listDefaultStrategiesWith } from "../default-strategies.ts";
import { describeBuiltInType } from "./built-in-types.ts";
import type { CreateStrategyType, UpdateStrategyType } from "./schemas.ts";

type StoredStrategyType = typeof strategyTypes.$inferSelect;

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_STRATEGY_NAMES);

/**
 * @throws {ApiError} if there is no strategy type of this name
 */
export function checkStrategyName(name: string, customTypes: ReadonlySet<string>): void {
  if (BUILT_IN.has(name) || customTypes.has(name)) return;
  throw mustExist("/body/name", "strategy", name);
}

/** Lists the built-in strategy types, then the custom ones by name. */
export async function listStrategyTypes(db: Database) {
  const custom = await db.select().from(strategyTypes).orderBy(orderByText(strategyTypes.name));
  return [...[...BUILT_IN].map(toBuiltInView), ...custom.map(toView)];
}

export async function getStrategyType(db: Database, name: string) {
  return BUILT_IN.has(name) ? toBuiltInView(name) : toView(await getCustomType(db, name));
}

export async function createStrategyType(
  { db, record }: WriteTransaction,
  { name, title, description, parameters }: CreateStrategyType,
) {
  if (BUILT_IN.has(name) || (await find(db, name)) !== undefined) {
    throw nameExists(`There is already a strategy ${JSON.stringify(name)}`);
  }
  const created = firstRow(
    await db
      .insert(strategyTypes)
      .values({
        name,
        title: title ?? null,
        description: description ?? null,
        parameters: parameters ?? [],
      })
      .returning(),
  );
  await record({ type: "strategy-created", after: toView(created) });
  return toView(created);
}

export async function updateStrategyType(
  { db, record }: WriteTransaction,
  name: string,
  { title, description, parameters, deprecated }: UpdateStrategyType & { deprecated?: boolean },
): Promise<void> {
  const before = await getCustomType(db, name);
  const columns = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(deprecated !== undefined && { deprecated }),
  };
  if (Object.keys(columns).length === 0) return;
  await db.update(strategyTypes).set(columns).where(eq(strategyTypes.name, name));
  await record({
    type: "strategy-updated",
    before: toView(before),
    after: toView({ ...before, ...columns }),
  });
}

export async function deleteStrategyType(
  { db, record }: WriteTransaction,
  name: string,
): Promise<void> {
  const before = await getCustomType(db, name);
  const [reference] = await db
    .select({ feature: strategies.feature })
    .from(strategies)
    .where(eq(strategies.name, name))
    .limit(1);
  if (reference !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The strategy ${JSON.stringify(name)} is used by the flag ${JSON.stringify(reference.feature)}: delete it there first`,
    );
  }
  const [place] = await listDefaultStrategiesWith(db, { name });
  if (place !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The strategy ${JSON.stringify(name)} is ${describeDefaultStrategy(place, ProjectAccess.everywhere("admin"))}: replace it there first`,
    );
  }
  await db.delete(strategyTypes).where(eq(strategyTypes.name, name));
  await record({ type: "strategy-deleted", before: toView(before) });
}

/**
 * @throws {ApiError} if the type is built in or unknown
 */
async function getCustomType(db: Database, name: string): Promise<StoredStrategyType> {
  if (BUILT_IN.has(name)) {
    throw invalidOperation(
      `The strategy ${JSON.stringify(name)} is built in: it cannot be changed`,
    );
  }
  const found = await find(db, name);
  if (found === undefined) throw notFound(`There is no strategy ${JSON.stringify(name)}`);
  return found;
}

async function find(db: Database, name: string): Promise<StoredStrategyType | undefined> {
  const [found] = await db.select().from(strategyTypes).where(eq(strategyTypes.name, name));
  return found;
}

function toBuiltInView(name: string) {
  const type = findStrategyType(name);
  return {
    name,
    title: null,
    ...describeBuiltInType(name),
    editable: false,
    deprecated: type?.kind === "rollout" && type.isDeprecated === true,
  };
}

function toView({ name, title, description, parameters, deprecated }: StoredStrategyType) {
  return {
    name,
    displayName: title ?? name,
    title,
    description,
    parameters,
    editable: true,
    deprecated,
  };
}
