import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf } from "./errors.ts";

/**
 * Creates a directory and its missing parents, all with the same mode. Does nothing if it exists.
 *
 * NOTE: not with the option `recursive` of Node. That never returns for a path below `/proc`, and
 * reports a missing file (`ENOENT`) on a file system that is read-only.
 */
export async function createDirectory(path: string, mode: number): Promise<void> {
  const absolute = resolve(path);
  try {
    await createOne(absolute, mode);
  } catch (error) {
    const parent = dirname(absolute);
    if (!isMissing(error) || parent === absolute) throw error;
    await createDirectory(parent, mode);
    await createOne(absolute, mode);
  }
}

/** Accepts a directory that another process creates at the same time. */
async function createOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // A missing parent. Existing directories give different errors: EISDIR for a root on macOS, for example.
    if (isMissing(error)) throw error;
    // NOTE: `stat` reports a link to something that does not exist as missing.
    const state = await stat(path).catch((reason: unknown) => {
      throw codeOf(error) === "EEXIST" ? reason : error;
    });
    if (!state.isDirectory()) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
