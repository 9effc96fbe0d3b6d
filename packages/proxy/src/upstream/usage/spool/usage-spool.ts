import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describeCause, describeCount } from "flags-sdk/neutral";
import { type DirectoryLock, DirectoryInUseError, lockDirectory } from "flags-server-kit";
import { explainDiskFailure } from "flags-server-kit/command-line";
import type { ChangeKind, PendingContent } from "../application-usage.ts";
import { AcceptedUsage } from "../accepted-usage.ts";
import { groupByApplication } from "../usage-buffer.ts";
import { readSpoolFile, SpoolFiles } from "./spool-files.ts";
import { toLine } from "./spool-record.ts";

interface UsageSpoolOptions {
  readonly directory: string;
  readonly maxBytes: number;
  readonly accepted: AcceptedUsage;
  readonly warn: (message: string) => void;
  /** Called when data of an earlier process was added. */
  readonly onRestored: () => void;
  /** Time after which a report is confirmed although the disk has not responded. @default 2000 */
  readonly maxWaitMs?: number;
  /** Time after which `close` resolves although the disk has not responded. @default 500 */
  readonly maxCloseMs?: number;
}

/** Numbers for metrics. Those without a unit count records of accepted usage, impact metrics and registrations. */
export interface UsageSpoolState {
  readonly bytes: number;
  readonly maxBytes: number;
  /** False: usage is only in memory, because the directory is locked or cannot be written. */
  readonly isWritable: boolean;
  readonly written: number;
  /** Acknowledged without being written. */
  readonly unwritten: number;
  /** Applications whose usage an earlier process had left. */
  readonly restoredApplications: number;
  /** Lines that could not be read. */
  readonly damagedLines: number;
}

/** Share of the limit that new records may fill. The rest is for a new copy next to the old one. */
const MAX_FILL = 0.6;
/** The files are replaced when they are larger than this, and than a multiple of their last copy. */
const MIN_REPLACED_BYTES = 1024 * 1024;
const GROWTH = 1.5;
/** Minimum time between two writes: limits how often a client can cause data to be flushed to the disk. */
const COMMIT_INTERVAL_MS = 10;
const MAX_WAIT_MS = 2000;
const MAX_CLOSE_MS = 500;
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** While more than this is queued, reports wait. */
const BUSY_BYTES = 1024 * 1024;
const SLICE_BYTES = 256 * 1024;
const RETRY_MS = 2000;
const TAKEN_OVER = "another process has taken it over";

class Batch {
  readonly lines: string[] = [];
  bytes = 0;
  /** How many of the records acknowledge a report. */
  records = 0;
  isLate = false;
  readonly #timeout: NodeJS.Timeout;
  #settle: () => void = () => undefined;
  /** Resolves when the batch was written, or will not be, or after the maximum time. */
  readonly settled = new Promise<void>((resolve) => (this.#settle = resolve));

  constructor(maxWaitMs: number) {
    this.#timeout = setTimeout(() => {
      this.isLate = true;
      this.#settle();
    }, maxWaitMs).unref();
  }

  end(): void {
    clearTimeout(this.#timeout);
    this.#settle();
  }
}

/**
 * Writes every change of what is pending to a log in a directory, from which the next process restores it. All records that
 * arrive during a write are written together next.
 *
 * From time to time, at startup and after a failure, a copy of what is pending replaces the records that led to it: it is
 * written as `set` records, between which other records can come, and then all older files are deleted.
 *
 * A disk that fails never fails a report: until it works again, usage is only in memory.
 */
export class UsageSpool {
  readonly #options: UsageSpoolOptions;
  readonly #files: SpoolFiles;
  readonly #closing = new AbortController();
  #lock: DirectoryLock | undefined;
  #status: "opening" | "writing" | "failed" = "opening";
  #queue: Batch | undefined;
  #writing: Batch | undefined;
  #running: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #isRestored = false;
  /** Releases the memory that is reserved for what an earlier process has left. */
  #releaseReserved: () => void = () => undefined;
  /** Size of the last copy, and of what was recorded while it was written. */
  #copyBytes = 0;
  #lastProblem: string | undefined;
  #unwrittenLogged = 0;
  readonly #counts = { written: 0, unwritten: 0, restoredApplications: 0, damagedLines: 0 };

  constructor(options: UsageSpoolOptions) {
    this.#options = options;
    this.#files = new SpoolFiles(options.directory);
  }

  get state(): UsageSpoolState {
    return {
      ...this.#counts,
      bytes: this.#files.bytes,
      maxBytes: this.#options.maxBytes,
      isWritable: this.#status === "writing",
    };
  }

  start(): void {
    if (this.#running !== undefined) return;
    // NOTE: otherwise, what is accepted until then would add up over restarts, until it no longer fits on the disk.
    this.#releaseReserved = this.#options.accepted.reserve(this.#files.measureLeft());
    this.#running = this.#run();
  }

  /**
   * Whether another report should wait until everything recorded so far is on the disk, because many arrive before the first
   * one is written. False if the disk fails or does not respond.
   */
  get isBusy(): boolean {
    // NOTE: `flushed()` does not wait for a late batch.
    const isLate = this.#queue?.isLate === true || this.#writing?.isLate === true;
    return !isLate && (this.#queue?.bytes ?? 0) > BUSY_BYTES;
  }

  record(kind: ChangeKind, content: PendingContent): void {
    const records = kind === "add" ? 1 : 0;
    if (this.#status === "failed") {
      this.#counts.unwritten += records;
      return;
    }
    this.#queue ??= new Batch(this.#options.maxWaitMs ?? MAX_WAIT_MS);
    const line = toLine(kind, content);
    this.#queue.lines.push(line);
    this.#queue.bytes += Buffer.byteLength(line);
    this.#queue.records += records;
    if (this.#queue.bytes > MAX_QUEUED_BYTES) this.#fail("the disk is too slow");
    this.#wake();
  }

  /** Resolves when everything recorded so far is on the disk, or if the disk fails or takes too long. */
  async flushed(): Promise<void> {
    await (this.#queue ?? this.#writing)?.settled;
  }

  /** Writes the rest, within the maximum time. Deletes the files if nothing is pending. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    const maxCloseMs = this.#options.maxCloseMs ?? MAX_CLOSE_MS;
    await Promise.race([this.#running, delay(maxCloseMs, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    do {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
        await this.#open();
        // oxlint-disable-next-line no-await-in-loop -- as above
        await this.#writeAll();
      } catch (error) {
        this.#fail(describeProblem(error));
        // oxlint-disable-next-line no-await-in-loop -- as above
        await pause(RETRY_MS, signal);
      }
    } while (!signal.aborted);
    await this.#files.end();
    const isDelivered = this.#status === "writing" && this.#options.accepted.isEmpty;
    if (isDelivered) await this.#files.delete().catch(() => undefined);
    this.#status = "failed";
    await this.#lock?.release();
  }

  /** Acquires the directory, and replaces what is in it with what is pending. */
  async #open(): Promise<void> {
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    this.#lock ??= await lockDirectory(this.#options.directory, {
      onLost: () => {
        this.#lock = undefined;
        this.#isRestored = false;
        this.#fail(TAKEN_OVER);
      },
    });
    if (!this.#isRestored) await this.#restore();
    if (this.#lock === undefined) throw new Error(TAKEN_OVER);
    this.#isRestored = true;
    await this.#files.end();
    // Then everything in the files has been delivered. On a full disk, this frees space.
    if (this.#options.accepted.isEmpty) await this.#files.delete();
    this.#status = "opening";
    const { written } = this.#counts;
    const after = this.#files.lastNumber;
    try {
      await this.#writeCopy();
    } catch (error) {
      await this.#files.end();
      // Failed attempts must not fill the disk.
      if (this.#counts.written === written)
        await this.#files.delete({ after }).catch(() => undefined);
      throw error;
    }
    this.#status = "writing";
    this.#logRecovery();
  }

  async #writeAll(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#queue !== undefined || !signal.aborted) {
      const startMs = performance.now();
      // oxlint-disable-next-line no-await-in-loop -- one write at a time
      await this.#write(MAX_FILL);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await pause(COMMIT_INTERVAL_MS - (performance.now() - startMs), signal);
      if (signal.aborted) continue;
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (this.#isCopyDue) await this.#writeCopy();
      // oxlint-disable-next-line no-await-in-loop -- as above
      else if (this.#queue === undefined) await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  get #isCopyDue(): boolean {
    const { bytes } = this.#files;
    if (this.#options.accepted.isEmpty) return bytes > this.#copyBytes;
    return bytes > Math.max(MIN_REPLACED_BYTES, GROWTH * this.#copyBytes);
  }

  /** Writes a copy of what is pending to a new file, and deletes all older ones. */
  async #writeCopy(): Promise<void> {
    const until = this.#files.lastNumber;
    const queuedBytes = this.#queue?.bytes ?? 0;
    // What is added later has all its records in the new file.
    await this.#files.begin();
    for (const content of this.#options.accepted.values()) {
      // NOTE: the content and its position among the records are determined at the same moment.
      this.record("set", content);
      // oxlint-disable-next-line no-await-in-loop -- keeps the queue, and pauses of the event loop, short
      if ((this.#queue?.bytes ?? 0) > SLICE_BYTES) await this.#write(1);
    }
    await this.#write(1);
    // NOTE: a file that cannot be deleted now is deleted with the next copy.
    await this.#files.delete({ until }).catch(() => undefined);
    this.#copyBytes = this.#files.bytes - queuedBytes;
  }

  /** @param fill the share of the limit that the queue may fill */
  async #write(fill: number): Promise<void> {
    if (this.#status === "failed") throw new Error(this.#lastProblem);
    const batch = this.#queue;
    if (batch === undefined) return;
    this.#queue = undefined;
    this.#writing = batch;
    let isWritten = false;
    try {
      const { maxBytes } = this.#options;
      if (this.#files.bytes + batch.bytes > maxBytes * fill)
        throw new Error(`it would exceed its limit of ${maxBytes} bytes`);
      await this.#files.append(batch.lines.join(""));
      isWritten = !batch.isLate;
    } catch (error) {
      this.#fail(describeProblem(error));
      throw error;
    } finally {
      this.#counts[isWritten ? "written" : "unwritten"] += batch.records;
      this.#writing = undefined;
      batch.end();
    }
  }

  #endReservation(): void {
    this.#releaseReserved();
    this.#releaseReserved = () => undefined;
  }

  #fail(problem: string): void {
    this.#status = "failed";
    this.#endReservation();
    this.#counts.unwritten += this.#queue?.records ?? 0;
    this.#queue?.end();
    this.#queue = undefined;
    if (this.#lastProblem !== problem) {
      const { directory, warn } = this.#options;
      warn(`Usage is only in memory, because the spool ${directory} cannot be used: ${problem}`);
    }
    this.#lastProblem = problem;
    this.#wake();
  }

  #logRecovery(): void {
    if (this.#lastProblem === undefined) return;
    const missed = this.#counts.unwritten - this.#unwrittenLogged;
    this.#unwrittenLogged = this.#counts.unwritten;
    this.#lastProblem = undefined;
    const loss =
      missed === 0
        ? ""
        : `; ${describeCount(missed, "report")} ${missed === 1 ? "was" : "were"} kept only in memory`;
    this.#options.warn(`The spool is working again${loss}`);
  }

  async #restore(): Promise<void> {
    const { accepted, warn, onRestored } = this.#options;
    const left = new AcceptedUsage({
      maxBytes: Infinity,
      isKnown: accepted.isKnown,
      onDropped: () => {},
    });
    await this.#files.load((path) => this.#readInto(left, path));
    // The new owner of the directory restores it.
    if (this.#lock === undefined) return;
    this.#endReservation();
    const restored = {
      usage: groupByApplication(left.usage.values()).length,
      impactMetrics: 0,
      registration: 0,
    };
    for (const content of left.values()) {
      accepted.apply("add", content);
      if ("impactMetrics" in content) restored.impactMetrics += 1;
      else if ("registration" in content) restored.registration += 1;
    }
    const { usage, impactMetrics, registration } = restored;
    this.#counts.restoredApplications += usage;
    if (usage + impactMetrics + registration === 0) return;
    warn(
      `Restored undelivered usage of an earlier process: ${describeCount(usage, "application")}, ` +
        `${describeCount(impactMetrics, "impact metric")}, ${describeCount(registration, "registration")}`,
    );
    onRestored();
  }

  /** Returns false if the file has another format. */
  async #readInto(left: AcceptedUsage, path: string): Promise<boolean> {
    const { warn } = this.#options;
    const { isKnownFormat, damagedLines } = await readSpoolFile(path, (record) =>
      left.apply(record.kind, record),
    );
    this.#counts.damagedLines += damagedLines;
    if (damagedLines > 0) warn(`Skipped ${describeCount(damagedLines, "damaged line")} of ${path}`);
    if (!isKnownFormat) {
      warn(`${path} has an unknown format: it stays until the version that wrote it delivers it`);
    }
    return isKnownFormat;
  }
}

/** Waits for a time, or until the signal is aborted. */
async function pause(timeMs: number, signal: AbortSignal): Promise<void> {
  if (timeMs > 0) await delay(timeMs, undefined, { ref: false, signal }).catch(() => undefined);
}

function describeProblem(error: unknown): string {
  return error instanceof DirectoryInUseError
    ? `${error.holder} is using it. Each process needs its own directory`
    : (explainDiskFailure(error) ?? describeCause(error));
}
