import { describeCount, DocumentFlags, type DocumentFlagsOptions } from "flags-sdk/internal";
import type { FlagSource } from "../upstream/flag-source.ts";
import type { ApplicationUsage } from "../upstream/usage/application-usage.ts";
import { type Logger, toErrorMessage } from "flags-server-kit";
import { warnOfNewFiles } from "./directory.ts";
import { FileFollower } from "./file-follower.ts";
import { FileError, type FollowedFiles } from "./read-file.ts";
import { type FlagFile, readFlagFile } from "./read-flag-file.ts";

interface FileFlagsOptions extends Omit<DocumentFlagsOptions, "origin"> {
  readonly file: FlagFile;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Whether to warn about files that are added to its directory. @default false */
  readonly watchesDirectory?: boolean;
}

/**
 * The flags of a file, which is read again when it changes. A file that cannot be used leaves the
 * previous flags in place.
 */
export class FileFlags extends DocumentFlags implements FlagSource {
  readonly #file: FlagFile;
  readonly #logger: Pick<Logger, "info" | "warn">;
  readonly #watchesDirectory: boolean;
  #stopWatching: () => void = () => undefined;
  #follower: FileFollower | undefined;
  #reported = "";
  #isStarted = false;
  #isClosed = false;
  #hasUsage = false;

  constructor({ file, logger, watchesDirectory = false, ...options }: FileFlagsOptions) {
    super({ ...options, origin: "file" });
    this.#file = file;
    this.#logger = logger;
    this.#watchesDirectory = watchesDirectory;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { directory } = this.#file;
    if (this.#watchesDirectory && directory !== undefined) {
      this.#stopWatching = warnOfNewFiles(directory, this.#logger);
    }
    void this.#start();
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    this.#follower?.close();
    this.#stopWatching();
    await super.close();
  }

  reportUsage(_usage: ApplicationUsage): boolean {
    if (!this.#hasUsage) {
      this.#hasUsage = true;
      this.#logger.info(
        "Usage is only counted in metrics: with flags from files, there is no upstream",
      );
    }
    return true;
  }

  async #start(): Promise<void> {
    const files = (await this.#load()) ?? { paths: [this.#file.path], fingerprint: "" };
    if (this.#isClosed) return;
    this.#follower = new FileFollower(files, () => this.#load());
  }

  async #load(): Promise<FollowedFiles | undefined> {
    const { path } = this.#file;
    try {
      const { document, warnings, locateError, ...files } = await readFlagFile(this.#file);
      await this.accept(document).catch((error: unknown) => {
        throw locateError(error);
      });
      for (const warning of warnings) this.emitter.emit("warn", `${path}: ${warning}`);
      const count = describeCount(document.features.length, "flag");
      if (this.#reported === "") this.#logger.info(`Read ${count} from ${path}`);
      else this.#logger.warn(`${path} can be used again: read ${count}`);
      this.#reported = "";
      return files;
    } catch (error) {
      if (!this.#isClosed) this.#report(error);
      return error instanceof FileError ? error.files : undefined;
    }
  }

  #report(error: unknown): void {
    const reason = toErrorMessage(error);
    // NOTE: a file that is constantly replaced is read repeatedly.
    if (reason === this.#reported) return;
    this.#reported = reason;
    const effect = this.snapshot === undefined ? "" : "; the previous flags stay in use";
    this.failed(new Error(`Cannot use ${this.#file.path}${effect}: ${reason}`));
  }
}
