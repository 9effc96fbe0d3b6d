/** A write was refused, or the database did not open, because too little disk space is free. */
export class DiskFullError extends Error {
  override readonly name = "DiskFullError";
}

// "disk_full" of PostgreSQL, which the embedded database uses too.
const DISK_FULL = "53100";

/** Whether a failure means that a disk or a quota is exhausted. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DiskFullError) return true;
  return ("code" in error && error.code === DISK_FULL) || isDiskFull(error.cause);
}

/** How long a failed write is taken as a sign that the next one will fail too. */
const REMEMBER_FAILURE_MS = 10_000;

/**
 * Remembers that the database could not store a write because a disk was full. No other signal
 * exists for the disk of a PostgreSQL server, or for a quota that the file system does not report.
 */
export class DiskFullMemory {
  readonly #nowMs: () => number;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs a clock that never goes back, in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Runs a write and remembers whether the database ran out of space for it. */
  async observe<T>(write: () => Promise<T>): Promise<T> {
    try {
      const result = await write();
      this.#failedAtMs = Number.NEGATIVE_INFINITY;
      return result;
    } catch (error) {
      // A write that was refused beforehand says nothing about later ones.
      if (isDiskFull(error) && !(error instanceof DiskFullError)) this.#failedAtMs = this.#nowMs();
      throw error;
    }
  }

  /** True for 10 s after a write failed, unless a later one succeeded. */
  get isFull(): boolean {
    return this.#nowMs() - this.#failedAtMs < REMEMBER_FAILURE_MS;
  }
}
