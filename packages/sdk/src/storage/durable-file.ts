import { open } from "node:fs/promises";

/** The mode of files that only their owner can read: definitions may contain ids of users. */
export const OWNER_ONLY = 0o600;

/** Creates a file, readable only by its owner. Resolves when its content would survive a power failure. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
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

/** Whether the system has failed with one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
