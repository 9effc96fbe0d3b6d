import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sql } from "drizzle-orm";
import { type Database, rowsOf } from "../storage/database.ts";
import { readSchemaVersion } from "../storage/migrate.ts";
import type { Storage } from "../storage/storage.ts";
import { FORMAT, FORMAT_VERSION, type Header } from "./format.ts";
import { listSequences, listTables } from "./backed-up-tables.ts";

/** Largest number of rows per line. The rows of a line are in memory at the same time. */
const LINE_ROWS = 50;
/** Largest size of a line with several rows, approximately. PostgreSQL rejects lines of more than 256 MB. */
const LINE_BYTES = 8 * 1024 * 1024;

/**
 * Writes everything in a database to a file, as of one moment. The file appears when it is complete, and
 * replaces an existing one. Only its owner can read it, because it contains hashes of tokens.
 *
 * @returns the number of rows
 */
export async function createBackup(storage: Storage, file: string): Promise<number> {
  const draft = `${file}.incomplete`;
  const counter = { rows: 0 };
  try {
    // Of an earlier backup that was interrupted. Others might be able to read it.
    await rm(draft, { force: true });
    await storage.read((db) =>
      pipeline(
        Readable.from(writeLines(db, counter)),
        createGzip(),
        createWriteStream(draft, { flags: "wx", mode: 0o600 }),
      ),
    );
    await flush(draft);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return counter.rows;
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* writeLines(db: Database, counter: { rows: number }): AsyncGenerator<string> {
  const header: Header = {
    format: FORMAT,
    version: FORMAT_VERSION,
    schemaVersion: await readSchemaVersion(db),
    createdAt: new Date().toISOString(),
    tables: [...(await listTables(db))],
    sequences: [...(await listSequences(db))],
  };
  yield `${JSON.stringify(header)}\n`;
  for (const table of header.tables) {
    for await (const rows of readBatches(db, table)) {
      counter.rows += rows.length;
      yield `{"table":${JSON.stringify(table)},"rows":[${rows.join(",")}]}\n`;
    }
  }
  yield `${JSON.stringify({ end: true, rows: counter.rows })}\n`;
}

interface RowSize {
  readonly ctid: string;
  readonly bytes: number;
}

/** Reads rows as JSON, as PostgreSQL writes it: JavaScript would round large numbers. */
async function* readBatches(db: Database, table: string): AsyncGenerator<readonly string[]> {
  const name = sql.identifier(table);
  await db.execute(
    sql`declare sizes no scroll cursor for
      select ctid::text as ctid, pg_column_size(to_jsonb(row)) as bytes from ${name} as row`,
  );
  for (;;) {
    const fetched = await db.execute(sql`fetch ${sql.raw(String(LINE_ROWS))} from sizes`);
    const sizes = rowsOf(fetched).map(({ ctid, bytes }) => {
      return { ctid: String(ctid), bytes: Number(bytes) };
    });
    for (const ctids of divideLines(sizes)) {
      const found = await db.execute(
        sql`select to_jsonb(row)::text as text from ${name} as row
          where ctid = any(${`{${ctids.map((ctid) => `"${ctid}"`).join(",")}}`}::tid[])`,
      );
      yield rowsOf(found).map(({ text }) => String(text));
    }
    if (sizes.length < LINE_ROWS) break;
  }
  await db.execute(sql`close sizes`);
}

/** Divides rows into lines, of at least one row each. */
function divideLines(rows: readonly RowSize[]): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const { ctid, bytes } of rows) {
    size += bytes;
    if (size > LINE_BYTES) {
      lines.push([]);
      size = bytes;
    }
    lines.at(-1)?.push(ctid);
  }
  return lines;
}
