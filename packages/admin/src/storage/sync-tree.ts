import { closeSync, fsyncSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

interface SyncTreeOptions {
  /** How many levels below `path` to go down. @default Infinity */
  readonly depth?: number;
}

/** Has the operating system write a file, or a directory and all in it, to the disk. */
export function syncTree(
  path: string,
  { depth = Number.POSITIVE_INFINITY }: SyncTreeOptions = {},
): void {
  const isDirectory = statSync(path).isDirectory();
  if (isDirectory && depth > 0) {
    for (const name of readdirSync(path)) syncTree(join(path, name), { depth: depth - 1 });
  }
  // Windows cannot open directories, and needs no such thing.
  if (isDirectory && process.platform === "win32") return;
  const descriptor = openSync(path, isDirectory ? "r" : "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
