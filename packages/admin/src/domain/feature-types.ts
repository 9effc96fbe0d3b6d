import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { actorOf } from "../access/request-identity.ts";
import { notFound } from "../errors.ts";
import { examineSoon } from "./examine-soon.ts";
import { operation } from "../access/operation.ts";
import { closedObject, MAX_INT32, bodyObject } from "../http/schemas.ts";
import type { Database } from "../storage/database.ts";
import { featureTypes } from "../storage/schema/features.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

/** The purposes of flags, with the expected lifetime in days until it is changed; null for permanent flags. */
export const FEATURE_TYPES = [
  {
    id: "release",
    name: "Release",
    description: "Releases a change gradually",
    lifetimeDays: 40,
  },
  {
    id: "experiment",
    name: "Experiment",
    description: "Compares variants of a change",
    lifetimeDays: 40,
  },
  {
    id: "operational",
    name: "Operational",
    description: "Controls the transition from one implementation to another",
    lifetimeDays: 7,
  },
  {
    id: "kill-switch",
    name: "Kill switch",
    description: "Turns off functionality that causes problems",
    lifetimeDays: null,
  },
  {
    id: "permission",
    name: "Permission",
    description: "Grants functionality to entitled users",
    lifetimeDays: null,
  },
  {
    id: "sunset",
    name: "Sunset",
    description: "Retires functionality gradually",
    lifetimeDays: 90,
  },
] as const;

const LifetimeBody = bodyObject("updateFeatureTypeLifetimeSchema", {
  lifetimeDays: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    minimum: 0,
    maximum: MAX_INT32,
    description: "0 or null: unlimited",
  }),
});

const FeatureTypeResponse = closedObject("featureTypeSchema", {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  lifetimeDays: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
});

const FeatureTypesResponse = closedObject("featureTypesSchema", {
  version: Type.Integer(),
  types: Type.Array(FeatureTypeResponse),
});

export type FeatureType = Type.Static<typeof FeatureTypeResponse>;

const FeatureTypeParams = Type.Object({ id: Type.String() });

const tag = "Features";

export function registerFeatureTypes(app: TypedApp, storage: Storage): void {
  app.get(
    "/feature-types",
    operation({
      id: "getAllFeatureTypes",
      role: "viewer",
      tag,
      summary: "Lists the types of flags",
      returns: FeatureTypesResponse,
    }),
    async () => ({ version: 1, types: await listFeatureTypes(storage.db) }),
  );

  app.put(
    "/feature-types/:id/lifetime",
    operation({
      id: "updateFeatureTypeLifetime",
      role: "admin",
      tag,
      summary: "Changes how many days flags of a type are expected to exist",
      returns: FeatureTypeResponse,
      alsoFailsWith: [404],
      params: FeatureTypeParams,
      body: LifetimeBody,
    }),
    (request) =>
      storage.write(actorOf(request), (transaction) =>
        // As in the wire protocol, no days mean no limit.
        updateLifetime(transaction, request.params.id, request.body.lifetimeDays || null),
      ),
  );
}

/** Reads for how many days flags of each type are expected to exist; null for any time. */
export async function readLifetimes(db: Database): Promise<ReadonlyMap<string, number | null>> {
  return new Map((await listFeatureTypes(db)).map(({ id, lifetimeDays }) => [id, lifetimeDays]));
}

async function listFeatureTypes(db: Database): Promise<FeatureType[]> {
  const rows = await db.select().from(featureTypes);
  const changed = new Map(rows.map(({ id, lifetimeDays }) => [id, { lifetimeDays }]));
  return FEATURE_TYPES.map((type) => ({ ...type, ...changed.get(type.id) }));
}

/**
 * @throws {ApiError} if there is no such type
 */
async function updateLifetime(
  { db, record }: WriteTransaction,
  id: string,
  lifetimeDays: number | null,
): Promise<FeatureType> {
  const before = (await listFeatureTypes(db)).find((type) => type.id === id);
  if (before === undefined) throw notFound(`There is no type of flags ${JSON.stringify(id)}`);
  const after = { ...before, lifetimeDays };
  await db
    .insert(featureTypes)
    .values({ id, lifetimeDays })
    .onConflictDoUpdate({ target: featureTypes.id, set: { lifetimeDays } });
  await examineSoon(db);
  await record({ type: "feature-type-updated", before, after });
  return after;
}
