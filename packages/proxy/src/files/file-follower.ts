import { type FollowedFiles, readFingerprint } from "./read-file.ts";

/** How often files are checked for changes. */
const POLL_MS = 150;

/**
 * Reads files again when they change: when their state differs and is the same in two checks, so that a file is not read
 * while it is being written.
 *
 * NOTE: notifications of the system do not work for network file systems and some container mounts, and are easily lost
 * when links are replaced, as in ConfigMaps.
 */
export class FileFollower {
  readonly #reload: () => Promise<FollowedFiles | undefined>;
  #files: FollowedFiles;
  #seen: string;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param reload reads the files again, and returns which ones; undefined if that failed. Must not throw */
  constructor(files: FollowedFiles, reload: () => Promise<FollowedFiles | undefined>) {
    this.#files = files;
    this.#seen = files.fingerprint;
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
    this.#seen = await readFingerprint(this.#files.paths);
    const isStable = this.#seen === previous;
    const isChanged = this.#seen !== this.#files.fingerprint;
    if (isChanged && isStable && !this.#isClosed) await this.#read(this.#seen);
    this.#schedule();
  }

  async #read(fingerprint: string): Promise<void> {
    const files = await this.#reload();
    // NOTE: a file that could be read but not used is not read again until it changes.
    this.#files = files ?? { ...this.#files, fingerprint };
    this.#seen = this.#files.fingerprint;
  }
}
