import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Smaller files fit into one packet anyway. */
const MIN_BYTES = 1024;

/**
 * Writes a compressed variant of each large file of the built console next to it, which flags-admin sends to
 * browsers. Compressing at build time allows the best level, and costs the service nothing.
 *
 * @param directory folder of the console's assets
 */
export async function compressConsole(directory) {
  const names = await readdir(directory);
  await Promise.all(
    names
      .filter((name) => /\.(?:js|css|svg)$/.test(name))
      .map((name) => compressFile(join(directory, name))),
  );
}

async function compressFile(path) {
  const content = await readFile(path);
  if (content.length < MIN_BYTES) return;
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  ]);
  await Promise.all([writeFile(`${path}.gz`, gzipped), writeFile(`${path}.br`, brotli)]);
}
