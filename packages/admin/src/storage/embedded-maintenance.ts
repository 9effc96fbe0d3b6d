import type { PGlite } from "@electric-sql/pglite";
import type { DiskGuard } from "./disk-guard.ts";
import type { StorageLogger } from "./storage.ts";

/** Size of a write-ahead log segment, the unit in which the log takes disk space. */
const SEGMENT_BYTES = 16 * 1_048_576;

/**
 * A checkpoint in the last quarter of a segment creates the next segment, if no earlier one can be
 * reused. Whatever writes less than a quarter of a segment then never has to create one.
 */
const RESERVE_BYTES = SEGMENT_BYTES / 4;

interface MaintenanceParts {
  readonly client: PGlite;
  readonly guard: DiskGuard;
  readonly logger: StorageLogger;
  /** How often to check whether a checkpoint is due, beside after each write. @default 5000 */
  readonly checkIntervalMs?: number;
  /** @default 3600000 */
  readonly vacuumIntervalMs?: number;
}

/**
 * Does what background processes do in a PostgreSQL server, and nobody does in the embedded one:
 * checkpoints, without which the log grows without limit, and vacuum, without which the space of
 * deleted rows is never reused.
 */
export class EmbeddedMaintenance {
  readonly #parts: MaintenanceParts;
  readonly #timers: readonly NodeJS.Timeout[];
  #lastCheckpoint = -1;
  #isClosed = false;

  constructor(parts: MaintenanceParts) {
    const { checkIntervalMs = 5000, vacuumIntervalMs = 3_600_000 } = parts;
    this.#parts = parts;
    this.#timers = [
      setInterval(() => void this.#check(), checkIntervalMs),
      setInterval(() => void this.#vacuum(), vacuumIntervalMs),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /**
   * Runs a checkpoint when the log has entered the last quarter of a segment since the last one, and
   * once at the start. Never rejects: a failure is logged, and the next call tries again.
   */
  async checkpointWhenDue(): Promise<void> {
    const { client } = this.#parts;
    await this.#run("checkpoint", async () => {
      const due = Math.floor(((await readLogPosition(client)) + RESERVE_BYTES) / SEGMENT_BYTES);
      if (due <= this.#lastCheckpoint) return;
      const previous = this.#lastCheckpoint;
      this.#lastCheckpoint = due;
      try {
        await client.exec("checkpoint");
      } catch (error) {
        this.#lastCheckpoint = previous;
        throw error;
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Reads write to the log too, for example when they remove dead rows from a page. */
  async #check(): Promise<void> {
    this.#canWrite();
    await this.checkpointWhenDue();
  }

  async #vacuum(): Promise<void> {
    if (!this.#canWrite()) return;
    await this.#run("vacuum", () => this.#parts.client.exec("vacuum"));
    await this.checkpointWhenDue();
  }

  /** The guard logs the first time that this changes. */
  #canWrite(): boolean {
    try {
      this.#parts.guard.assertWritable();
      return true;
    } catch {
      return false;
    }
  }

  async #run(name: string, work: () => Promise<unknown>): Promise<void> {
    if (this.#isClosed) return;
    try {
      await work();
    } catch (error) {
      if (this.#isClosed) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.logger.warn(`Cannot run a ${name} of the embedded database: ${reason}`);
    }
  }
}

async function readLogPosition(client: PGlite): Promise<number> {
  const [result] = await client.exec("select pg_current_wal_insert_lsn() - '0/0' as position");
  const row: { readonly position?: unknown } | undefined = result?.rows[0];
  return Number(row?.position);
}
