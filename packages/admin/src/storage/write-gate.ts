/** Lets writes run as they come, except while somebody holds them. */
export class WriteGate {
  readonly #writes = new Set<Promise<unknown>>();
  /** Resolves when the writes are no longer held; undefined if they are not. */
  #held: Promise<unknown> | undefined;

  /** Runs a write, as soon as nobody holds the writes. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    // oxlint-disable-next-line no-await-in-loop -- another holder may be faster
    while (this.#held !== undefined) await this.#held;
    const write = work();
    this.#writes.add(write);
    try {
      return await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  /** Runs work while no write runs: those in progress end first, and new ones wait. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    // oxlint-disable-next-line no-await-in-loop -- another holder may be faster
    while (this.#held !== undefined) await this.#held;
    const result = Promise.allSettled(this.#writes).then(work);
    this.#held = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.#held = undefined;
    }
  }
}
