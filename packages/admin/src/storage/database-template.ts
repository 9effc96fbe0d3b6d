import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { codeOf } from "flags-server-kit/neutral";

const decompress = promisify(brotliDecompress);

/** NOTE: also correct when this runs from the bundle, which is in a folder of the same depth. */
const TEMPLATE = new URL("../database/empty.tar.br", import.meta.url);

/** Reads the empty database that the build has written; undefined if this runs without a build. */
export async function readTemplate(): Promise<Blob | undefined> {
  const archive = await readFile(TEMPLATE).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  return archive && new Blob([await decompress(archive)], { type: "application/x-tar" });
}
