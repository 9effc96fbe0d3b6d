import { codeOf } from "./errors.ts";

const NO_DIRECTORY = "a part of the path is a file, not a directory";
const NO_PERMISSION = "the user of this process has no permission";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["EACCES", NO_PERMISSION],
  ["EPERM", NO_PERMISSION],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is exceeded"],
  ["EIO", "the disk or its network connection has failed"],
  ["EMFILE", "this process has too many open files"],
  ["ENFILE", "this machine has too many open files"],
  ["ENOENT", "a part of the path does not exist, and cannot be created"],
  ["ENOTDIR", NO_DIRECTORY],
  ["EEXIST", NO_DIRECTORY],
  ["EISDIR", "it is a directory"],
  ["ELOOP", "it is a symbolic link, which is not followed"],
]);

/** Says why a file or directory cannot be written, with the code of the system; undefined if the error has another reason. */
export function explainDiskFailure(error: unknown): string | undefined {
  const code = codeOf(error);
  const reason = REASONS.get(code);
  return reason && `${reason} (${code})`;
}
