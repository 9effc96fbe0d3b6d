import type { FollowedFiles } from "./read-file.ts";

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
