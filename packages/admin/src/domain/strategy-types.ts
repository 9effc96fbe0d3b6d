import { eq } from "drizzle-orm";
import { BUILT_IN_STRATEGY_NAMES, findStrategyType } from "flags-engine";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { actorOf } from "../access/request-identity.ts";
import { ApiError, invalidOperation, mustExist, nameExists, notFound } from "../errors.ts";
import { Name } from "../http/names.ts";
import { documented, nullableText, openObject } from "../http/schemas.ts";
import { type Database, firstRow, orderByText } from "../storage/database.ts";
import { strategies, strategyTypes } from "../storage/schema/strategies.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

const Parameter = openObject("strategyParameterSchema", {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.Optional(Type.String({ maxLength: 100 })),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  required: Type.Optional(Type.Boolean()),
});

const properties = {
  title: Type.Optional(nullableText(500)),
  description: Type.Optional(nullableText(10_000)),
  parameters: Type.Optional(Type.Array(Parameter, { maxItems: 100 })),
};

export const CreateStrategyTypeBody = openObject("createStrategySchema", {
  name: Name,
  ...properties,
});
const UpdateStrategyTypeBody = openObject("updateStrategySchema", properties);

type CreateStrategyType = Type.Static<typeof CreateStrategyTypeBody>;
type UpdateStrategyType = Type.Static<typeof UpdateStrategyTypeBody>;

const StrategyTypeParams = Type.Object({ strategyName: Type.String() });

const tag = "Strategy types";

/** Routes for strategy types: the built-in ones, and custom ones that applications implement. */
export function registerStrategyTypes(app: TypedApp, storage: Storage): void {
  app.get(
    "/strategies",
    { schema: documented({ tag, summary: "Lists the strategy types" }) },
    async () => ({ version: 1, strategies: await listStrategyTypes(storage.db) }),
  );

  app.get(
    "/strategies/:strategyName",
    {
      schema: {
        ...documented({ tag, summary: "Shows a strategy type", alsoFailsWith: [404] }),
        params: StrategyTypeParams,
      },
    },
    ({ params }) => getStrategyType(storage.db, params.strategyName),
  );

  registerCreating(app, storage);
  registerChanging(app, storage);
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/strategies",
    {
      schema: {
        ...documented({
          tag,
          summary: "Creates a strategy type that applications implement",
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: CreateStrategyTypeBody,
      },
    },
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createStrategyType(transaction, request.body),
      );
      return reply.code(201).header("location", `strategies/${created.name}`).send(created);
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/strategies/:strategyName",
    {
      schema: {
        ...documented({
          tag,
          summary: "Updates the given properties of a strategy type",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: StrategyTypeParams,
        body: UpdateStrategyTypeBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateStrategyType(transaction, request.params.strategyName, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/strategies/:strategyName",
    {
      schema: {
        ...documented({
          tag,
          summary: "Deletes a strategy type that is not in use",
          empty: 200,
          alsoFailsWith: [404, 409],
        }),
        params: StrategyTypeParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteStrategyType(transaction, request.params.strategyName),
      );
      return reply.send();
    },
  );
}

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

async function getStrategyType(db: Database, name: string) {
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

async function updateStrategyType(
  { db, record }: WriteTransaction,
  name: string,
  { title, description, parameters }: UpdateStrategyType,
): Promise<void> {
  const before = await getCustomType(db, name);
  const columns = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
  };
  if (Object.keys(columns).length === 0) return;
  await db.update(strategyTypes).set(columns).where(eq(strategyTypes.name, name));
  await record({
    type: "strategy-updated",
    before: toView(before),
    after: toView({ ...before, ...columns }),
  });
}

async function deleteStrategyType({ db, record }: WriteTransaction, name: string): Promise<void> {
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
    description: null,
    parameters: [],
    editable: false,
    deprecated: type?.kind === "rollout" && type.isDeprecated === true,
  };
}

function toView({ name, title, description, parameters, deprecated }: StoredStrategyType) {
  return { name, title, description, parameters, editable: true, deprecated };
}
