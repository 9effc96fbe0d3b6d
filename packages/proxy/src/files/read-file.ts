import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { codeOf } from "flags-server-kit/neutral";

export interface FollowedFiles {
  readonly paths: readonly string[];
  /** Their state. It changes whenever one of them does. */
  readonly fingerprint: string;
}

/** Returns the state of files. A missing file has one too. */
export async function readFingerprint(paths: readonly string[]): Promise<string> {
  const states = paths.map((path) => stat(path, { bigint: true }).then(fromStats, codeOf));
  return combineStates(await Promise.all(states));
}

export function combineStates(states: readonly string[]): string {
  return createHash("sha256").update(states.join("\n")).digest("base64url");
}

/** NOTE: follows symbolic links, so it notices when one of a ConfigMap points to another directory. */
function fromStats({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

interface ReadFile {
  readonly text: string;
  readonly fingerprint: string;
}

/** An error whose message is for the operator. */
export class ReadError extends Error {}

/**
 * Reads a text file, without a byte order mark. Rejects if it is not regular, too large, not in UTF-8, or
 * changes while it is read.
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

/** A file that cannot be used. `problems` are sentences that begin with the position, if any. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly problems: readonly string[];
  /** The files that were read, or that do not exist, and their state. */
  readonly files: FollowedFiles | undefined;

  constructor(problems: readonly string[], files?: FollowedFiles) {
    super(problems.join("; "));
    this.problems = problems;
    this.files = files;
  }
}
