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
import { listSequences, listTables } from "./tables.ts";

/** Rows per line. The rows of a batch are in memory at the same time. */
const BATCH_ROWS = 200;

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

/** Reads rows as JSON, as PostgreSQL writes it: JavaScript would round large numbers. */
async function* readBatches(db: Database, table: string): AsyncGenerator<readonly string[]> {
  const name = sql.identifier(table);
  await db.execute(
    sql`declare rows no scroll cursor for select to_jsonb(row)::text as text from ${name} as row`,
  );
  for (;;) {
    const fetched = await db.execute(sql`fetch ${sql.raw(String(BATCH_ROWS))} from rows`);
    const rows = rowsOf(fetched).map(({ text }) => String(text));
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_ROWS) break;
  }
  await db.execute(sql`close rows`);
}
