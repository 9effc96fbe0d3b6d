import { eq, type SQL } from "drizzle-orm";
import { ApiError, mustExist, nameExists, notFound, unknownContextField } from "../../errors.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { type Database, firstRow, orderByText } from "../../storage/database.ts";
import { contextFields } from "../../storage/schema/projects.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { EditedResource } from "../conditional-change.ts";
import {
  checkLegalValues,
  checkTotals,
  toLegalValue,
  withLegalValue,
  withoutLegalValue,
} from "./legal-values.ts";
import { findProject } from "../projects/store.ts";
import { describeReferences, findForeignReferences } from "./references.ts";
import type { CreateContextField, LegalValueInput, UpdateContextField } from "./schemas.ts";

export type ContextField = typeof contextFields.$inferSelect;

/** Converts a field to the form in responses and events. `project` is absent if all projects may use it. */
export function toContextFieldView({ project, ...field }: ContextField) {
  return { ...field, ...(project !== null && { project }) };
}

/** Lists fields by `sortOrder`, then by name. @default all fields */
export function listContextFields(db: Database, condition?: SQL): Promise<ContextField[]> {
  return db
    .select()
    .from(contextFields)
    .where(condition)
    .orderBy(contextFields.sortOrder, orderByText(contextFields.name));
}

/** Identifies a field in a request. With a project, only fields of this project are found. */
export interface FieldAddress {
  readonly name: string;
  readonly project?: string;
}

/**
 * @throws {ApiError} if the field does not exist, or is not one of the project in the address
 */
export async function getContextField(
  db: Database,
  { name, project }: FieldAddress,
): Promise<ContextField> {
  const field = await findContextField(db, name);
  if (field === undefined) throw unknownContextField(name);
  if (project === undefined || field.project === project) return field;
  throw notFound(
    `The project ${JSON.stringify(project)} has no context field ${JSON.stringify(name)}`,
  );
}

/** Describes a context field for `writeIfMatch()`. */
export function editedContextField(address: FieldAddress): EditedResource {
  const { name } = address;
  return {
    label: "The context field",
    readView: async (db) => toContextFieldView(await getContextField(db, address)),
    changes: { types: ["context-field-created", "context-field-updated"], containing: [{ name }] },
  };
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

/** @param access of the caller, who is told what uses a field */
export async function createContextField(
  transaction: WriteTransaction,
  body: CreateContextField,
  access: ProjectAccess,
): Promise<ContextField> {
  const created = await addContextField(transaction, body, { access });
  await checkTotals(transaction.db);
  return created;
}

interface FieldUsers {
  readonly access: ProjectAccess;
  /** See `findForeignReferences()`. @default read from the database */
  readonly foreignReferences?: ReadonlyMap<string, string>;
}

/**
 * Creates a field without `checkTotals()`, which the caller does after the last one.
 *
 */
export async function addContextField(
  { db, record }: WriteTransaction,
  body: CreateContextField,
  users: FieldUsers,
): Promise<ContextField> {
  await checkNameIsAvailable(db, body.name);
  checkLegalValues(body.legalValues ?? []);
  await checkProject(db, body.name, body.project ?? null, users);
  const created = firstRow(
    await db
      .insert(contextFields)
      .values({ name: body.name, ...toColumns(body) })
      .returning(),
  );
  await record({
    type: "context-field-created",
    ...projectOf(created),
    after: toContextFieldView(created),
  });
  return created;
}

/** Replaces the properties that the body contains. The others stay unchanged. */
export async function updateContextField(
  transaction: WriteTransaction,
  address: FieldAddress,
  body: UpdateContextField,
  access: ProjectAccess,
): Promise<void> {
  const before = await getContextField(transaction.db, address);
  checkLegalValues(body.legalValues ?? [], before.legalValues.length);
  const { project = before.project } = body;
  if (project !== before.project) {
    await checkProject(transaction.db, before.name, project, { access });
  }
  await replace(transaction, before, toColumns(body));
}

export async function putLegalValue(
  transaction: WriteTransaction,
  address: FieldAddress,
  legalValue: LegalValueInput,
): Promise<void> {
  const before = await getContextField(transaction.db, address);
  const legalValues = withLegalValue(before.legalValues, toLegalValue(legalValue));
  checkLegalValues(legalValues, before.legalValues.length);
  await replace(transaction, before, { legalValues });
}

export async function removeLegalValue(
  transaction: WriteTransaction,
  address: FieldAddress,
  value: string,
): Promise<void> {
  const before = await getContextField(transaction.db, address);
  const legalValues = withoutLegalValue(before.legalValues, value);
  await replace(transaction, before, { legalValues });
}

export async function deleteContextField(
  { db, record }: WriteTransaction,
  address: FieldAddress,
  access: ProjectAccess,
): Promise<void> {
  const { name } = address;
  const before = await getContextField(db, address);
  const [reference] = await describeReferences(db, name, access);
  if (reference !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The context field ${JSON.stringify(name)} is used by ${reference}: remove its constraint, stickiness or override first`,
    );
  }
  await db.delete(contextFields).where(eq(contextFields.name, name));
  await record({
    type: "context-field-deleted",
    ...projectOf(before),
    before: toContextFieldView(before),
  });
}

/** The columns that a body sets. Other properties, such as `createdAt`, are ignored. */
function toColumns(body: UpdateContextField): Columns {
  const { description, stickiness, sortOrder, legalValues, project } = body;
  return {
    ...(project !== undefined && { project }),
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
  const after = { ...before, ...columns };
  if (after.legalValues.length > before.legalValues.length) await checkTotals(db);
  await record({
    type: "context-field-updated",
    ...projectOf(after),
    before: toContextFieldView(before),
    after: toContextFieldView(after),
  });
}

function projectOf({ project }: ContextField): { readonly project?: string } {
  return project === null ? {} : { project };
}

/**
 * Checks that a field can be limited to a project.
 *
 * @throws {ApiError} if the project is unknown, or something outside of it uses the field
 */
async function checkProject(
  db: Database,
  name: string,
  project: string | null,
  { access, foreignReferences }: FieldUsers,
): Promise<void> {
  if (project === null) return;
  if ((await findProject(db, project)) === undefined) {
    throw mustExist("/body/project", "project", project);
  }
  const references =
    foreignReferences ?? (await findForeignReferences(db, [name], project, access));
  const reference = references.get(name);
  if (reference === undefined) return;
  throw new ApiError(
    "ConflictError",
    `The context field ${JSON.stringify(name)} cannot be limited to the project ${JSON.stringify(project)}: ${reference} uses it`,
  );
}
