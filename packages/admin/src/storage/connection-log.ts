import type { StorageLogger } from "./storage.ts";

const INTERVAL_MS = 60_000;

/** Logs once that connections to the database are lost, and when it can be reached again. */
export class ConnectionLog {
  readonly #logger: Pick<StorageLogger, "warn">;
  readonly #now: () => number;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #unavailableSinceMs: number | undefined;

  /** @param now monotonic clock in milliseconds @default `performance.now()` */
  constructor(logger: Pick<StorageLogger, "warn">, now: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#now = now;
  }

  /** A connection was lost. All of them are if the database stops, so one line a minute is enough. */
  lost(reason: string): void {
    const now = this.#now();
    if (now - this.#loggedAtMs < INTERVAL_MS) return;
    this.#loggedAtMs = now;
    this.#logger.warn(`A connection to the database was lost and will be replaced: ${reason}`);
  }

  /** The connection that listens for changes was lost: it is the first to be opened again. */
  listenerLost(reason: string): void {
    this.#unavailableSinceMs ??= this.#now();
    this.lost(reason);
  }

  /** The connection that listens for changes is open again. */
  reopened(): void {
    if (this.#unavailableSinceMs === undefined) return;
    const seconds = Math.ceil((this.#now() - this.#unavailableSinceMs) / 1000);
    this.#unavailableSinceMs = undefined;
    this.#loggedAtMs = Number.NEGATIVE_INFINITY;
    this.#logger.warn(`The database is available again after ${seconds} s`);
  }
}
