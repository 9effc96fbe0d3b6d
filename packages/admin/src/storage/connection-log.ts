import type { StorageLogger } from "./storage.ts";

const INTERVAL_MS = 60_000;

/** Shorter outages are logged at most once per interval, because a setting of the server can cause one every second. */
const SHORT_OUTAGE_MS = 5000;

/** Logs once that connections to the database are lost, and when it can be reached again. */
export class ConnectionLog {
  readonly #logger: Pick<StorageLogger, "warn">;
  readonly #now: () => number;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #unavailableSinceMs: number | undefined;
  #isLossLogged = false;

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
    this.#isLossLogged = true;
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
    const outageMs = this.#now() - this.#unavailableSinceMs;
    this.#unavailableSinceMs = undefined;
    const isShort = outageMs < SHORT_OUTAGE_MS;
    if (!isShort) this.#loggedAtMs = Number.NEGATIVE_INFINITY;
    if (isShort && !this.#isLossLogged) return;
    this.#isLossLogged = false;
    this.#logger.warn(`The database is available again after ${Math.ceil(outageMs / 1000)} s`);
  }
}
