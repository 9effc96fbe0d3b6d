import { type FilesState, type FollowedFiles, readFilesState } from "./read-file.ts";

/** How often files are checked for changes. */
const POLL_MS = 150;

/** A file that is replaced between all checks is read after this many of them. */
const MAX_UNSTABLE_CHECKS = 3;

/**
 * Reads files again when they change.
 *
 * It compares their state at an interval, which costs some microseconds per file. Notifications of the
 * system would be faster, but they do not work for network file systems and some container mounts, are
 * limited per user, and are easily lost when links are replaced, as in ConfigMaps.
 *
 * A change is read when the state is the same in two checks, so that a file is not read while it is being
 * written.
 */
export class FileFollower {
  readonly #reload: () => Promise<FollowedFiles | undefined>;
  #files: FollowedFiles;
  /** The state that was found in the previous check. */
  #seen: FilesState;
  #unstableChecks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param reload reads the files again, and returns which ones; undefined if that failed. Must not throw */
  constructor(files: FollowedFiles, reload: () => Promise<FollowedFiles | undefined>) {
    this.#files = files;
    this.#seen = { fingerprint: files.fingerprint, identity: "" };
    this.#reload = reload;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#check(), POLL_MS);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const previous = this.#seen;
    const current = await readFilesState(this.#files.paths);
    this.#seen = current;
    const isStable = current.fingerprint === previous.fingerprint;
    // NOTE: a file that is written in place may be incomplete at any time before it is stable.
    const isReplaced = current.identity !== previous.identity;
    this.#unstableChecks = !isStable && isReplaced ? this.#unstableChecks + 1 : 0;
    const isDue = isStable || this.#unstableChecks >= MAX_UNSTABLE_CHECKS;
    const isChanged = current.fingerprint !== this.#files.fingerprint;
    if (isChanged && isDue && !this.#isClosed) await this.#read(current);
    this.#schedule();
  }

  async #read({ fingerprint }: FilesState): Promise<void> {
    this.#unstableChecks = 0;
    const files = await this.#reload();
    // NOTE: a file that could be read but not used is not read again until it changes.
    this.#files = files ?? { ...this.#files, fingerprint };
    this.#seen = { ...this.#seen, fingerprint: this.#files.fingerprint };
  }
}
