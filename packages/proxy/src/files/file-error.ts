import type { FollowedFiles } from "./read-file.ts";

/** A file with flags that cannot be used. `problems` are sentences that begin with the position, if any. */
export class FlagFileError extends Error {
  override readonly name = "FlagFileError";
  readonly problems: readonly string[];
  /** The file, which may not exist, and its state. */
  readonly files: FollowedFiles | undefined;

  constructor(problems: readonly string[], files?: FollowedFiles) {
    super(problems.join("; "));
    this.problems = problems;
    this.files = files;
  }
}
