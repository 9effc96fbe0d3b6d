import { eq } from "drizzle-orm";
import { ApiError, nameExists, notFound } from "../../errors.ts";
import { type Database, firstRow, orderByText } from "../../storage/database.ts";
import { contextFields } from "../../storage/schema/context-fields.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import {
  checkLegalValues,
  toLegalValue,
  withLegalValue,
  withoutLegalValue,
} from "./legal-values.ts";
import { describeReferences } from "./references.ts";
import type { CreateContextField, LegalValueInput, UpdateContextField } from "./schemas.ts";

export type ContextField = typeof contextFields.$inferSelect;

/** Lists all fields by `sortOrder`, then by name. */
export function listContextFields(db: Database): Promise<ContextField[]> {
  return db
    .select()
    .from(contextFields)
    .orderBy(contextFields.sortOrder, orderByText(contextFields.name));
}

/**
 * @throws {ApiError} if the field does not exist
 */
export async function getContextField(db: Database, name: string): Promise<ContextField> {
  const field = await findContextField(db, name);
  if (field === undefined) throw notFound(`There is no context field ${JSON.stringify(name)}`);
  return field;
}

/**
 * @throws {ApiError} if a field of this name exists
 */
export async function checkNameIsAvailable(db: Database, name: string): Promise<void> {
  if ((await findContextField(db, name)) === undefined) return;
  throw nameExists(`There is already a context field ${JSON.stringify(name)}`);
}

async function findContextField(db: Database, name: string): Promise<ContextField | undefined> {
  const [field] = await db.select().from(contextFields).where(eq(contextFields.name, name));
  return field;
}

export async function createContextField(
  { db, record }: WriteTransaction,
  body: CreateContextField,
): Promise<ContextField> {
  await checkNameIsAvailable(db, body.name);
  checkLegalValues(body.legalValues ?? []);
  const created = firstRow(
    await db
      .insert(contextFields)
      .values({ name: body.name, ...toColumns(body) })
      .returning(),
  );
  await record({ type: "context-field-created", after: created });
  return created;
}

/** Replaces the properties that the body contains. The others stay unchanged. */
export async function updateContextField(
  transaction: WriteTransaction,
  name: string,
  body: UpdateContextField,
): Promise<void> {
  const before = await getContextField(transaction.db, name);
  checkLegalValues(body.legalValues ?? []);
  await replace(transaction, before, toColumns(body));
}

export async function putLegalValue(
  transaction: WriteTransaction,
  name: string,
  legalValue: LegalValueInput,
): Promise<void> {
  const before = await getContextField(transaction.db, name);
  const legalValues = withLegalValue(before.legalValues, toLegalValue(legalValue));
  await replace(transaction, before, { legalValues });
}

export async function removeLegalValue(
  transaction: WriteTransaction,
  name: string,
  value: string,
): Promise<void> {
  const before = await getContextField(transaction.db, name);
  const legalValues = withoutLegalValue(before.legalValues, value);
  await replace(transaction, before, { legalValues });
}

export async function deleteContextField(
  { db, record }: WriteTransaction,
  name: string,
): Promise<void> {
  const before = await getContextField(db, name);
  const [reference] = await describeReferences(db, name);
  if (reference !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The context field ${JSON.stringify(name)} is used by ${reference}: remove the constraint first`,
    );
  }
  await db.delete(contextFields).where(eq(contextFields.name, name));
  await record({ type: "context-field-deleted", before });
}

/** The columns that a body sets. Other properties, such as `createdAt`, are ignored. */
function toColumns(body: UpdateContextField): Columns {
  const { description, stickiness, sortOrder, legalValues } = body;
  return {
    ...(description !== undefined && { description }),
    ...(stickiness !== undefined && { stickiness }),
    ...(sortOrder !== undefined && { sortOrder }),
    ...(legalValues !== undefined && { legalValues: legalValues.map(toLegalValue) }),
  };
}

type Columns = Partial<Omit<ContextField, "createdAt" | "name">>;

async function replace(
  { db, record }: WriteTransaction,
  before: ContextField,
  columns: Columns,
): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await db.update(contextFields).set(columns).where(eq(contextFields.name, before.name));
  await record({ type: "context-field-updated", before, after: { ...before, ...columns } });
}
