import type { PGlite } from "@electric-sql/pglite";
import { toErrorMessage } from "flags-server-kit/neutral";
import { BYTES_PER_MB, type DiskGuard } from "./disk-guard.ts";
import type { StorageLogger } from "./storage.ts";

/** Size of a segment of the write-ahead log. The log grows by whole segments. */
const SEGMENT_BYTES = 16 * BYTES_PER_MB;

/**
 * A checkpoint in the last quarter of a segment creates the next segment, if no earlier one can be
 * reused. A write of less than a quarter of a segment then never has to create one.
 */
const RESERVE_BYTES = SEGMENT_BYTES / 4;

interface MaintenanceOptions {
  readonly client: PGlite;
  readonly guard: DiskGuard;
  readonly logger: StorageLogger;
  /** How often to check whether a checkpoint is due, in addition to after writes. @default 5000 */
  readonly checkIntervalMs?: number;
  /** How often to vacuum. @default 3600000 */
  readonly vacuumIntervalMs?: number;
}

/**
 * Runs what a PostgreSQL server runs in background processes, which the embedded database lacks:
 * checkpoints, without which the log grows without limit, and vacuum, without which the space of
 * deleted rows is never reused, and statements are planned without statistics.
 */
export class EmbeddedMaintenance {
  readonly #options: MaintenanceOptions;
  readonly #timers: readonly NodeJS.Timeout[];
  #lastCheckpoint = -1;
  #isClosed = false;

  constructor(options: MaintenanceOptions) {
    const { checkIntervalMs = 5000, vacuumIntervalMs = 3_600_000 } = options;
    this.#options = options;
    this.#timers = [
      setInterval(() => void this.#check(), checkIntervalMs),
      setInterval(() => void this.#vacuum(), vacuumIntervalMs),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /**
   * Runs a checkpoint if the log has entered the last quarter of a segment since the last one, and on
   * the first call. Never rejects: an error is logged, and the next call tries again.
   */
  async checkpointWhenDue(): Promise<void> {
    const { client } = this.#options;
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

  /** Reads also write to the log, for example when they remove dead rows from a page. */
  async #check(): Promise<void> {
    this.#canWrite();
    await this.checkpointWhenDue();
  }

  async #vacuum(): Promise<void> {
    if (!this.#canWrite()) return;
    await this.#run("vacuum", () => vacuum(this.#options.client));
    await this.checkpointWhenDue();
  }

  /** The guard logs each time that the result changes. */
  #canWrite(): boolean {
    try {
      this.#options.guard.assertWritable();
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
      const reason = toErrorMessage(error);
      this.#options.logger.warn(
        `Cannot run a ${name} of the embedded database; trying again later: ${reason}`,
      );
    }
  }
}

/** One table after the other, so that other requests run in between. */
async function vacuum(client: PGlite): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of rows) await client.exec(`vacuum analyze ${name}`);
}

async function readLogPosition(client: PGlite): Promise<number> {
  const [result] = await client.exec("select pg_current_wal_insert_lsn() - '0/0' as position");
  const row: { readonly position?: unknown } | undefined = result?.rows[0];
  return Number(row?.position);
}
