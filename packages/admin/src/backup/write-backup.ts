import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sql } from "drizzle-orm";
import { type Database, firstRow, rowsOf } from "../storage/database.ts";
import { readSchemaVersion } from "../storage/migrate.ts";
import type { Storage } from "../storage/storage.ts";
import { FORMAT, FORMAT_VERSION, type Header } from "./format.ts";
import { listSequences, listTables } from "./backed-up-tables.ts";

/** Largest number of rows per line. The rows of a line are in memory at the same time. */
const LINE_ROWS = 50;
/** Largest size of a line with several rows, approximately. PostgreSQL rejects lines of more than 256 MB. */
const LINE_BYTES = 8 * 1024 * 1024;
/** Number of pages, of 8 KiB, whose rows are found by one statement. */
const PAGES = 4;

/**
 * Writes everything in a database to a stream, as of one moment, and leaves it open. If the stream fails, so does the backup.
 * At most a few megabytes wait for the reader of the stream.
 */
export async function writeBackup(
  storage: Pick<Storage, "readForLong">,
  output: Writable,
): Promise<void> {
  await storage.readForLong((db) =>
    pipeline(Readable.from(writeLines(db)), createGzip(), output, { end: false }),
  );
}

async function* writeLines(db: Database): AsyncGenerator<string> {
  const header: Header = {
    format: FORMAT,
    version: FORMAT_VERSION,
    schemaVersion: await readSchemaVersion(db),
    createdAt: new Date().toISOString(),
    tables: [...(await listTables(db))],
    sequences: [...(await listSequences(db))],
  };
  yield `${JSON.stringify(header)}\n`;
  let count = 0;
  for (const table of header.tables) {
    for await (const rows of readBatches(db, table)) {
      count += rows.length;
      yield `{"table":${JSON.stringify(table)},"rows":[${rows.join(",")}]}\n`;
    }
  }
  yield `${JSON.stringify({ end: true, rows: count })}\n`;
}

interface RowSize {
  readonly ctid: string;
  readonly bytes: number;
}

/**
 * Reads rows as JSON, as PostgreSQL writes it: JavaScript would round large numbers. Finds them by page, because each
 * statement must be short, and a cursor would need a transaction.
 */
async function* readBatches(db: Database, table: string): AsyncGenerator<readonly string[]> {
  const name = sql.identifier(table);
  const pageCount = await countPages(db, table);
  for (let page = 0; page < pageCount; page += PAGES) {
    const found = await db.execute(
      sql`select ctid::text as ctid, pg_column_size(to_jsonb(row)) as bytes from ${name} as row
        where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + PAGES},0)`}::tid`,
    );
    const sizes = rowsOf(found).map(({ ctid, bytes }) => {
      return { ctid: String(ctid), bytes: Number(bytes) };
    });
    for (const ctids of divideLines(sizes)) {
      const rows = await db.execute(
        sql`select to_jsonb(row)::text as text from ${name} as row
          where ctid = any(${`{${ctids.map((ctid) => `"${ctid}"`).join(",")}}`}::tid[])`,
      );
      yield rowsOf(rows).map(({ text }) => String(text));
    }
  }
}

async function countPages(db: Database, table: string): Promise<number> {
  const { pages } = firstRow(
    rowsOf(
      await db.execute(sql`
        select pg_relation_size(${table}::regclass) / current_setting('block_size')::int as pages`),
    ),
  );
  return Number(pages);
}

/** Divides rows into lines, of at least one row each. */
function divideLines(rows: readonly RowSize[]): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let size = 0;
  for (const { ctid, bytes } of rows) {
    const last = lines.at(-1);
    size += bytes;
    if (last === undefined || last.length === LINE_ROWS || size > LINE_BYTES) {
      lines.push([ctid]);
      size = bytes;
    } else {
      last.push(ctid);
    }
  }
  return lines;
}
