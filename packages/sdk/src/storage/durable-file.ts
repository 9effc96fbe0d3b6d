import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The mode of files that only their owner can read: definitions may contain ids of users. */
export const OWNER_ONLY = 0o600;

const TEMPORARY = /\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;
/** Other processes may use the same directory, and write large files to slow disks. */
const MAX_WRITE_MS = 60 * 60 * 1000;

/**
 * Creates or replaces a file, readable only by its owner. Resolves when its content would survive a power failure.
 * A crash, a full disk or an abort leaves the previous content.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  const temporaryPath = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporaryPath, content);
    signal?.throwIfAborted();
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/**
 * Deletes what processes have left that were killed while they replaced a file. Never rejects: the next process tries
 * again.
 *
 * @param names which files, if the directory may contain others
 */
export async function deleteAbandoned(directory: string, names: RegExp = /^/): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const replaced = name.replace(TEMPORARY, "");
    if (replaced === name || !names.test(replaced)) continue;
    const path = join(directory, name);
    try {
      // oxlint-disable no-await-in-loop -- rarely more than one
      if (Date.now() - (await stat(path)).mtimeMs > MAX_WRITE_MS) await rm(path, { force: true });
      // oxlint-enable no-await-in-loop
    } catch {
      // It may belong to another user, or another process may have deleted it.
    }
  }
}

async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx", OWNER_ONLY);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes new names in a directory survive a power failure. Windows cannot open directories. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems do not support it. The file is still complete.
    if (!hasCode(error, "EINVAL", "ENOTSUP")) throw error;
  } finally {
    await handle.close();
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
