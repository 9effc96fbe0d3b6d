import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { type SQL, sql } from "drizzle-orm";
import { codeOf } from "flags-server-kit/neutral";
import type { Database } from "../storage/database.ts";
import { isConnectionError, isDiskFull } from "../storage/errors.ts";
import { migrate, MIGRATIONS, readSchemaVersion, SCHEMA_VERSION } from "../storage/migrate.ts";
import { readRevision } from "../storage/revisions.ts";
import type { Storage } from "../storage/storage.ts";
import { type Header, InvalidBackupError, parseHeader, parseLine } from "./format.ts";
import { listTables } from "./backed-up-tables.ts";

/** The database already contains data that a restore would destroy. */
export class DatabaseNotEmptyError extends Error {
  override readonly name = "DatabaseNotEmptyError";
}

/**
 * Restores a backup in an unused database: one without tables, or in which nothing was ever changed. If
 * that fails, the database stays unused. If only the migration of an older backup fails, the next start completes it.
 *
 * @param openStorage opens the database, whose tables the given function prepares
 * @returns the number of rows
 * @throws {InvalidBackupError} if the file cannot be restored
 * @throws {DatabaseNotEmptyError} if the database is not empty
 */
export async function restoreBackup(
  file: string,
  openStorage: (prepareSchema: (db: Database) => Promise<void>) => Promise<Storage>,
): Promise<number> {
  // First without a database, because a damaged file must not leave a new one behind.
  const schemaVersion = await readBackup(file, checkAll);
  const storage = await openStorage((db) => prepareSchema(db, schemaVersion));
  let count: number;
  try {
    count = await storage.transact((db) =>
      readBackup(file, (header, lines) => insertAll(db, header, lines)),
    );
  } finally {
    await storage.close();
  }
  // Migrations that the backup lacks change its rows too. They have no time limit while a database is opened.
  if (schemaVersion < SCHEMA_VERSION) await (await openStorage(migrate)).close();
  return count;
}

/** Calls `use` with the header and the lines of rows, which throw if they are damaged or incomplete. */
async function readBackup<T>(
  file: string,
  use: (header: Header, lines: AsyncIterable<RowLine>) => Promise<T>,
): Promise<T> {
  const lines = readLines(file);
  try {
    const first = await lines.next();
    const header = parseHeader(first.done === true ? undefined : first.value);
    return await use(header, readRows(lines, header));
  } finally {
    await lines.return(undefined);
  }
}

interface RowLine {
  readonly table: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The line itself. */
  readonly text: string;
}

async function* readRows(
  lines: AsyncIterable<string>,
  { tables }: Header,
): AsyncGenerator<RowLine, void> {
  let count = 0;
  for await (const text of lines) {
    const line = parseLine(text);
    if ("end" in line) {
      if (line.rows !== count) throw new InvalidBackupError("it is damaged");
      return;
    }
    if (!tables.includes(line.table)) throw new InvalidBackupError("it is damaged");
    count += line.rows.length;
    yield { ...line, text };
  }
  throw new InvalidBackupError("it is incomplete");
}

/** Checks what can be checked without a database. Resolves to the version of the schema. */
async function checkAll({ schemaVersion }: Header, lines: AsyncIterable<RowLine>): Promise<number> {
  if (schemaVersion > SCHEMA_VERSION) {
    throw new InvalidBackupError(
      `it has schema version ${schemaVersion}, and this program supports versions up to ${SCHEMA_VERSION}: restore it with the newer version`,
    );
  }
  for await (const _ of lines);
  return schemaVersion;
}

async function* readLines(file: string): AsyncGenerator<string, void> {
  const input = createReadStream(file);
  const text = createGunzip();
  // NOTE: `pipe()` does not pass errors on.
  input.on("error", (error) => text.destroy(error)).pipe(text);
  try {
    for await (const line of createInterface({ input: text })) yield line;
  } catch (error) {
    if (isDamaged(error)) {
      // Other files, such as text, have no gzip header.
      const isOther = /incorrect header check/.test(error.message);
      const reason = isOther ? "it is not a backup of flags-admin" : "it is damaged";
      throw new InvalidBackupError(reason, { cause: error });
    }
    throw error;
  } finally {
    input.destroy();
  }
}

/** Codes of zlib, such as Z_DATA_ERROR. */
function isDamaged(error: unknown): error is Error {
  return error instanceof Error && codeOf(error).startsWith("Z_");
}

/** Creates the tables as they were when the backup was written. */
async function prepareSchema(db: Database, version: number): Promise<void> {
  const current = await readSchemaVersion(db);
  if (current !== 0 && (await readRevision(db)) !== 0) {
    throw new DatabaseNotEmptyError("the database is not empty: create an empty one");
  }
  if (current > version) {
    throw new DatabaseNotEmptyError(
      `the database has schema version ${current} and the backup ${version}: create an empty one`,
    );
  }
  await migrate(
    db,
    MIGRATIONS.filter((migration) => migration.version <= version),
  );
}

async function insertAll(
  db: Database,
  header: Header,
  lines: AsyncIterable<RowLine>,
): Promise<number> {
  // Reading the file may take long. Nobody else uses the database.
  await db.execute(sql`set local idle_in_transaction_session_timeout = 0`);
  await replaceInitialData(db, header);
  let count = 0;
  for await (const { table, rows, text } of lines) {
    const columns = sql.join(
      Object.keys(rows[0] ?? {}).map((name) => sql.identifier(name)),
      sql`, `,
    );
    await db.execute(insertRows(sql.identifier(table), columns, text)).catch(explainInsert);
    count += rows.length;
  }
  await setSequences(db, header);
  return count;
}

/** NOTE: not the message of the error, which contains the rows. */
function explainInsert(error: unknown): never {
  if (isConnectionError(error) || isDiskFull(error)) throw error;
  throw new InvalidBackupError("it is damaged");
}

/** NOTE: the line is parsed by PostgreSQL again, because JavaScript has rounded large numbers. */
function insertRows(table: ReturnType<typeof sql.identifier>, columns: SQL, text: string): SQL {
  return sql`
    insert into ${table} (${columns}) overriding system value
    select ${columns} from jsonb_populate_recordset(null::${table}, ${text}::jsonb -> 'rows')`;
}

/** Deletes what the migrations have inserted. The backup contains its current state. */
async function replaceInitialData(db: Database, { tables }: Header): Promise<void> {
  const existing = await listTables(db);
  if (tables.toSorted().join() !== existing.toSorted().join()) {
    throw new InvalidBackupError("its tables are not those of its schema version");
  }
  const names = sql.join(
    existing.map((name) => sql.identifier(name)),
    sql`, `,
  );
  // Sessions refer to tokens.
  await db.execute(sql`truncate ${names} cascade`);
}

async function setSequences(db: Database, { sequences, tables }: Header): Promise<void> {
  for (const { table, column, last } of sequences) {
    if (!tables.includes(table)) throw new InvalidBackupError("it is damaged");
    if (last === 0) continue;
    await db.execute(sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${last})`);
  }
}
