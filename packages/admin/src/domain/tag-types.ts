import { eq } from "drizzle-orm";
import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { actorOf } from "../access/request-identity.ts";
import { ApiError, nameExists, notFound } from "../errors.ts";
import { Name } from "../http/names.ts";
import { operation } from "../access/operation.ts";
import { closedObject, nullableText, bodyObject } from "../http/schemas.ts";
import { type Database, firstRow, orderByText } from "../storage/database.ts";
import { featureTags, tagTypes } from "../storage/schema/features.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

const properties = {
  description: Type.Optional(nullableText(10_000)),
  icon: Type.Optional(nullableText(1000)),
  color: Type.Optional(
    Type.Unsafe<string | null>({
      type: ["string", "null"],
      pattern: "^#[0-9A-Fa-f]{6}$",
      description: "#rrggbb",
    }),
  ),
};

const TagTypeName = Type.Intersect([Name, Type.String({ minLength: 2, maxLength: 50 })]);

export const CreateTagTypeBody = bodyObject("createTagTypeSchema", {
  name: TagTypeName,
  ...properties,
});
const UpdateTagTypeBody = bodyObject("updateTagTypeSchema", properties, ["name"]);
const TagTypeNameBody = closedObject("validateTagTypeSchema", {
  name: TagTypeName,
  ...properties,
});

type CreateTagType = Type.Static<typeof CreateTagTypeBody>;
type UpdateTagType = Type.Static<typeof UpdateTagTypeBody>;

export const TagTypeParams = Type.Object({ type: Type.String() });

const tag = "Tag types";

export function registerTagTypes(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/tag-types",
    operation({ id: "getTagTypes", role: "viewer", tag, summary: "Lists the tag types" }),
    async () => ({ version: 1, tagTypes: await listTagTypes(storage.db) }),
  );

  app.get(
    "/tag-types/:type",
    operation({
      id: "getTagType",
      role: "viewer",
      tag,
      summary: "Shows a tag type",
      alsoFailsWith: [404],
      params: TagTypeParams,
    }),
    async ({ params }) => ({ version: 1, tagType: await getTagType(storage.db, params.type) }),
  );

  app.post(
    "/tag-types/validate",
    operation({
      id: "validateTagType",
      role: "viewer",
      tag,
      summary: "Checks whether a name is available for a new tag type",
      alsoFailsWith: [409],
      body: TagTypeNameBody,
    }),
    async ({ body }) => {
      await checkNameIsAvailable(storage.db, body.name);
      return { valid: true, tagType: body };
    },
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/tag-types",
    operation({
      id: "createTagType",
      role: "admin",
      tag,
      summary: "Creates a tag type",
      alsoFailsWith: [409],
      body: CreateTagTypeBody,
    }),
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createTagType(transaction, request.body),
      );
      return reply.code(201).header("location", `tag-types/${created.name}`).send(created);
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/tag-types/:type",
    operation({
      id: "updateTagType",
      role: "admin",
      tag,
      summary: "Updates the given properties of a tag type",
      empty: 200,
      alsoFailsWith: [404],
      params: TagTypeParams,
      body: UpdateTagTypeBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateTagType(transaction, request.params.type, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/tag-types/:type",
    operation({
      id: "deleteTagType",
      role: "admin",
      tag,
      summary: "Deletes a tag type that is not in use",
      empty: 200,
      alsoFailsWith: [404, 409],
      params: TagTypeParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteTagType(transaction, request.params.type),
      );
      return reply.send();
    },
  );
}

const columns = {
  name: tagTypes.name,
  description: tagTypes.description,
  icon: tagTypes.icon,
  color: tagTypes.color,
};

export function listTagTypes(db: Database) {
  return db.select(columns).from(tagTypes).orderBy(orderByText(tagTypes.name));
}

/**
 * @throws {ApiError} if the type does not exist
 */
async function getTagType(db: Database, name: string) {
  const [type] = await db.select(columns).from(tagTypes).where(eq(tagTypes.name, name));
  if (type === undefined) throw notFound(`There is no tag type ${JSON.stringify(name)}`);
  return type;
}

/**
 * @throws {ApiError} if a type has the name
 */
async function checkNameIsAvailable(db: Database, name: string): Promise<void> {
  const found = await db.select(columns).from(tagTypes).where(eq(tagTypes.name, name));
  if (found.length > 0) throw nameExists(`There is already a tag type ${JSON.stringify(name)}`);
}

export async function createTagType(
  { db, record }: WriteTransaction,
  { name, description, icon, color }: CreateTagType,
) {
  await checkNameIsAvailable(db, name);
  const created = firstRow(
    await db
      .insert(tagTypes)
      .values({ name, description: description ?? null, icon: icon ?? null, color: color ?? null })
      .returning(columns),
  );
  await record({ type: "tag-type-created", after: created });
  return created;
}

async function updateTagType(
  { db, record }: WriteTransaction,
  name: string,
  { description, icon, color }: UpdateTagType,
): Promise<void> {
  const before = await getTagType(db, name);
  const changes = {
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
    ...(color !== undefined && { color }),
  };
  if (Object.keys(changes).length === 0) return;
  await db.update(tagTypes).set(changes).where(eq(tagTypes.name, name));
  await record({ type: "tag-type-updated", before, after: { ...before, ...changes } });
}

async function deleteTagType({ db, record }: WriteTransaction, name: string): Promise<void> {
  const before = await getTagType(db, name);
  const [reference] = await db
    .select()
    .from(featureTags)
    .where(eq(featureTags.type, name))
    .limit(1);
  if (reference !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The flag ${JSON.stringify(reference.feature)} has a tag of this type: remove the tag first`,
    );
  }
  await db.delete(tagTypes).where(eq(tagTypes.name, name));
  await record({ type: "tag-type-deleted", before });
}
