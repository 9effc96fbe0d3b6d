import { closeSync, openSync, readSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** A client key has some 40 characters, so this is enough for 20,000 of them. */
const MAX_FILE_BYTES = 1_048_576;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "the user of this process has no permission to read it",
  EPERM: "the user of this process has no permission to read it",
  EISDIR: "it is a directory",
  ELOOP: "it is a loop of symbolic links",
};

/** Says why a file cannot be read. */
export function explainUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return REASONS[codeOf(error)] ?? error.message;
}

/** The text of a file without a byte order mark, or the reason why there is none. */
type TextFile = { readonly text: string } | { readonly problem: string };

/**
 * Reads a small file of settings. Accepts everything that can be read like a file, such as a pipe, and
 * never reads more than the limit.
 */
export function readTextFile(path: string): TextFile {
  let bytes: Buffer;
  try {
    bytes = readBytes(path);
  } catch (error) {
    return { problem: explainUnreadable(error) };
  }
  if (bytes.length > MAX_FILE_BYTES) {
    return { problem: `it is larger than ${MAX_FILE_BYTES / 1024} KiB` };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "it is not text in UTF-8" };
  }
}

/** Returns at most one byte more than the limit. */
function readBytes(path: string): Buffer {
  const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
  const file = openSync(path, "r");
  try {
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(file, buffer, length, buffer.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
