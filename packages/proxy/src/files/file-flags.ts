import type { CustomStrategy } from "flags-engine";
import type { FlagOrigin } from "flags-sdk";
import { createSourceEmitter, HOST_NAME } from "flags-sdk/internal";
import {
  Compiler,
  createDocumentFilter,
  describeCount,
  FlagState,
  FlagUpdater,
  TimeSlicer,
  UpdatedFlags,
} from "flags-sdk/neutral";
import { type Logger, toErrorMessage } from "flags-server-kit/neutral";
import type { FlagSource } from "../upstream/flag-source.ts";
import type { ApplicationUsage } from "../upstream/usage/application-usage.ts";
import { warnOfNewFiles } from "./directory.ts";
import { FileFollower } from "./file-follower.ts";
import { FileError, type FollowedFiles } from "./read-file.ts";
import { type FlagFile, readFlagFile } from "./read-flag-file.ts";

interface FileFlagsOptions {
  readonly file: FlagFile;
  readonly strategies: readonly CustomStrategy[];
  readonly projectName: string | undefined;
  readonly namePrefix: string | undefined;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Whether to warn about files that are added to its directory. @default false */
  readonly watchesDirectory?: boolean;
}

/** The flags of a file, which is read again when it changes. One that cannot be used leaves the previous flags in place. */
export class FileFlags extends UpdatedFlags implements FlagSource {
  protected override readonly emitter: ReturnType<typeof createSourceEmitter> =
    createSourceEmitter();
  protected override readonly compiler: Compiler;
  protected override readonly updater: FlagUpdater;
  readonly #filter: (document: unknown) => unknown;
  readonly #closing = new AbortController();
  readonly #file: FlagFile;
  readonly #logger: Pick<Logger, "info" | "warn">;
  readonly #watchesDirectory: boolean;
  #stopWatching: () => void = () => undefined;
  #follower: FileFollower | undefined;
  #reported = "";
  #isStarted = false;
  #hasUsage = false;

  constructor(options: FileFlagsOptions) {
    super();
    const { file, strategies, projectName, namePrefix, logger, watchesDirectory = false } = options;
    const { emitter } = this;
    const compiler = new Compiler(strategies, emitter, HOST_NAME);
    this.compiler = compiler;
    this.updater = new FlagUpdater({
      state: new FlagState({ bootstrapOverrides: true, compiler }),
      emitter,
      slicer: new TimeSlicer(),
    });
    this.#filter = createDocumentFilter({ projectName, namePrefix, tags: [] }, ignore);
    this.#file = file;
    this.#logger = logger;
    this.#watchesDirectory = watchesDirectory;
  }

  override get origin(): FlagOrigin | undefined {
    return this.snapshot && "file";
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

  async close(): Promise<void> {
    this.#closing.abort();
    this.#follower?.close();
    this.#stopWatching();
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
    if (this.#closing.signal.aborted) return;
    this.#follower = new FileFollower(files, () => this.#load());
  }

  async #load(): Promise<FollowedFiles | undefined> {
    const { path } = this.#file;
    try {
      const { document, warnings, locateError, ...files } = await readFlagFile(this.#file);
      const { signal } = this.#closing;
      await this.updater.accept(this.#filter(document), signal).catch((error: unknown) => {
        throw locateError(error);
      });
      this.updater.setLive(true);
      for (const warning of warnings) this.emitter.emit("warn", `${path}: ${warning}`);
      const count = describeCount(document.features.length, "flag");
      if (this.#reported === "") this.#logger.info(`Read ${count} from ${path}`);
      else this.#logger.warn(`${path} can be used again: read ${count}`);
      this.#reported = "";
      return files;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#report(error);
      return error instanceof FileError ? error.files : undefined;
    }
  }

  #report(error: unknown): void {
    const reason = toErrorMessage(error);
    // NOTE: a file that is constantly replaced is read repeatedly.
    if (reason === this.#reported) return;
    this.#reported = reason;
    const effect = this.snapshot === undefined ? "" : "; the previous flags stay in use";
    // Until now, every change would have been noticed. From now on, the flags become older.
    if (this.isLive) this.updater.unchanged();
    this.updater.setLive(false);
    this.emitter.emit("error", new Error(`Cannot use ${this.#file.path}${effect}: ${reason}`));
  }
}

function ignore(): void {}
