import { createWriteStream, existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { explainUnreadable, StartError } from "flags-server-kit";
import { isConnectionError } from "../storage/errors.ts";

/**
 * Writes a file. It appears when it is complete, and replaces an existing one. Only its owner can read it.
 *
 * @param write writes the content, and leaves the stream open
 * @returns the size of the file in bytes
 * @throws {StartError} if the file cannot be written
 */
export async function writeOutputFile(
  file: string,
  write: (output: Writable) => Promise<void>,
): Promise<number> {
  requirePath(file);
  const draft = `${file}.incomplete`;
  let outputError: Error | undefined;
  try {
    // Of an earlier command that was interrupted. Others might be able to read it.
    await rm(draft, { force: true });
    const output = createWriteStream(draft, { flags: "wx", mode: 0o600 });
    output.on("error", (error) => {
      outputError ??= error;
    });
    await write(output);
    output.end();
    await finished(output);
    await flush(draft);
    await rename(draft, file);
    return output.bytesWritten;
  } catch (error) {
    await rm(draft, { force: true });
    const cause = [error, outputError].find((each) => isAbout(each, file) || isWriteError(each));
    if (cause === undefined) throw error;
    throw new StartError(`Cannot use the file ${file}: ${explainUnreadable(cause)}`, { cause });
  }
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Checks the path before the work, which may take long. */
function requirePath(file: string): void {
  const directory = dirname(file);
  const reason = isDirectory(file)
    ? "it is a directory"
    : isDirectory(directory)
      ? undefined
      : `there is no directory ${directory}`;
  if (reason !== undefined) throw new StartError(`Cannot use the file ${file}: ${reason}`);
}

function isDirectory(path: string): boolean {
  return existsSync(`${path}/.`);
}

/** Whether writing failed, such as on a full disk. NOTE: an output that is destroyed reports the error of its source. */
function isWriteError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && !isConnectionError(error);
}

/** Whether an error of the file system is about a file, or about its draft. */
export function isAbout(error: unknown, file: string): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    "path" in error &&
    typeof error.path === "string" &&
    error.path.startsWith(file)
  );
}
