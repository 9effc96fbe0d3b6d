import { readFileSync, statSync } from "node:fs";
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
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not text in UTF-8",
};

/** Says why a file cannot be read. */
export function explainUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return REASONS[codeOf(error)] ?? error.message;
}

/** Returns the text of a small file without a byte order mark, or the reason why there is none. */
export function readTextFile(
  path: string,
): { readonly text: string } | { readonly problem: string } {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) {
      return { problem: `it is larger than ${MAX_FILE_BYTES / 1024} KiB` };
    }
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)) };
  } catch (error) {
    return { problem: explainUnreadable(error) };
  }
}
