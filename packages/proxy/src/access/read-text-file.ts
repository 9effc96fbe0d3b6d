import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** The text of a file. */
interface ReadFile {
  readonly text: string;
  /** Changes whenever the file does. */
  readonly fingerprint: string;
}

/** An error whose message is for the operator. */
export class ReadError extends Error {}

/**
 * Reads a text file that does not change meanwhile.
 *
 * @throws {ReadError} with the reason, or an error of the file system
 */
export async function readText(path: string, maxBytes: number): Promise<ReadFile> {
  // NOTE: opening a pipe would otherwise wait for someone to write to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) throw new ReadError("it is not a regular file");
    if (before.size > maxBytes) throw new ReadError(`it is larger than ${maxBytes / 1024} KiB`);
    const bytes = await readBytes(file, maxBytes);
    const after = await file.stat({ bigint: true });
    if (fromStats(before) !== fromStats(after)) throw new ReadError("it changed while it was read");
    return { text: decode(bytes), fingerprint: fromStats(after) };
  } finally {
    await file.close();
  }
}

async function readBytes(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const bytes = await file.readFile();
  if (bytes.length > maxBytes) throw new ReadError("it is growing");
  return bytes;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ReadError("it is not text in UTF-8");
  }
}

/**
 * Returns a text that changes whenever a file does.
 *
 * NOTE: follows symbolic links, so it notices when one of a ConfigMap points to another directory.
 */
export function fromStats({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
