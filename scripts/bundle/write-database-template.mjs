import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";

/**
 * Writes an archive of an empty embedded database, without tables. `flags-admin` unpacks it to create a database,
 * because PostgreSQL's own `initdb` needs several times as much memory and CPU time.
 * See docs/decisions/0057-template-of-the-embedded-database.md.
 */
export async function writeDatabaseTemplate(file) {
  const directory = await mkdtemp(join(tmpdir(), "flags-build-"));
  try {
    const database = await PGlite.create(directory);
    const archive = await database.dumpDataDir("none");
    await database.close();
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await compress(Buffer.from(await archive.arrayBuffer())));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** NOTE: a window of 16 MB, because the databases in the archive are copies of each other. */
function compress(archive) {
  return promisify(brotliCompress)(archive, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: archive.length,
    },
  });
}
