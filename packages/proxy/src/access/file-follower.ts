import { fingerprintOf, type FollowedFiles } from "./read-access-file.ts";

interface FollowerOptions {
  readonly intervalMs: number;
  /** Reads the files again, and returns which ones; undefined if that failed. Must not throw. */
  readonly reload: () => Promise<FollowedFiles | undefined>;
}

/** A file that changes all the time is read nevertheless, after this many checks. */
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
  readonly #options: FollowerOptions;
  #files: FollowedFiles;
  /** The state that was found in the previous check. */
  #seen: string;
  #unstableChecks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(files: FollowedFiles, options: FollowerOptions) {
    this.#files = files;
    this.#seen = files.fingerprint;
    this.#options = options;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#check(), this.#options.intervalMs);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const current = await fingerprintOf(this.#files.paths);
    const isStable = current === this.#seen;
    this.#seen = current;
    this.#unstableChecks = isStable ? 0 : this.#unstableChecks + 1;
    const isDue = isStable || this.#unstableChecks >= MAX_UNSTABLE_CHECKS;
    if (current !== this.#files.fingerprint && isDue && !this.#isClosed) await this.#read(current);
    this.#schedule();
  }

  async #read(state: string): Promise<void> {
    this.#unstableChecks = 0;
    const files = await this.#options.reload();
    // NOTE: an unusable file is not read again until it changes.
    this.#files = files ?? { ...this.#files, fingerprint: state };
    this.#seen = this.#files.fingerprint;
  }
}
