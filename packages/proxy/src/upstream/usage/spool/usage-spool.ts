import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describeCause, describeCount } from "flags-sdk/neutral";
import { DirectoryInUseError, type DirectoryLock, lockDirectory } from "flags-server-kit";
import { FairShare } from "flags-server-kit/neutral";
import type { ChangeKind, PendingContent } from "../application-usage.ts";
import { PendingData } from "../pending-data.ts";
import { SpoolBatch } from "./spool-batch.ts";
import { readSpoolFile, SpoolFiles } from "./spool-files.ts";
import type { SpoolFile } from "./spool-files.ts";
import { toLines } from "./spool-record.ts";

interface UsageSpoolOptions {
  /** The directory; created if missing. */
  readonly directory: string;
  /** Limit of the size of its files. */
  readonly maxBytes: number;
  readonly pending: PendingData;
  readonly warn: (message: string) => void;
  /** Called when data of an earlier process was added to the pending data. */
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
  /** Confirmed to the client without being written. */
  readonly unwritten: number;
  /** Applications whose usage an earlier process had left. */
  readonly restoredApplications: number;
  /** Lines that could not be read. */
  readonly damagedLines: number;
}

/** Share of the limit that new records may fill. The rest is for writing a new copy next to the old one. */
const MAX_FILL = 0.6;
/** The files are replaced when they are larger than this, and than a multiple of their last copy. */
const MIN_REPLACED_BYTES = 1024 * 1024;
const GROWTH = 1.5;
/**
 * Minimum time between two writes, which limits how often a client can cause data to be flushed to
 * the disk.
 */
const COMMIT_INTERVAL_MS = 10;
const MAX_WAIT_MS = 2000;
const MAX_CLOSE_MS = 500;
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** While more than this is queued, reports wait. */
const BUSY_BYTES = 1024 * 1024;
const SLICE_BYTES = 256 * 1024;
const RETRY_MS = 2000;
const TAKEN_OVER = "another process has taken it over";

/**
 * Writes every change of the pending usage, impact metrics and registrations to a log in a directory, from
 * which the next process restores them. All records that arrive during a write are written together next.
 *
 * From time to time, a copy of what is pending replaces the records that led to it: it is written as
 * `set` records, between which other records can come, and then all older files are deleted. The same
 * happens at startup with what an earlier process left, and after a failure, since records are missing
 * then.
 *
 * A disk that fails never fails a report: until it works again, usage is only in memory.
 */
export class UsageSpool {
  readonly #options: UsageSpoolOptions;
  #lock: DirectoryLock | undefined;
  readonly #files: SpoolFiles;
  #status: "opening" | "writing" | "failed" | "closed" = "opening";
  /** Records that are not being written yet. */
  #queue: SpoolBatch;
  /** The batch that is being written. */
  #committing: SpoolBatch | undefined;
  #commits: Promise<void> | undefined;
  #opening: Promise<void> | undefined;
  #replacing: Promise<boolean> | undefined;
  #isRestored = false;
  /** Size of the last copy, and of what was recorded while it was written. */
  #copyBytes = 0;
  /** Whether the files contain, or will contain, records in addition to those of the last copy. */
  #hasChanges = false;
  #retry: NodeJS.Timeout | undefined;
  #lastProblem: string | undefined;
  /** Those that have been logged. */
  #unwrittenLogged = 0;
  readonly #counts = { written: 0, unwritten: 0, restoredApplications: 0, damagedLines: 0 };

  constructor(options: UsageSpoolOptions) {
    this.#options = options;
    this.#files = new SpoolFiles(options.directory);
    this.#queue = this.#createBatch();
  }

  get state(): UsageSpoolState {
    const { maxBytes } = this.#options;
    return {
      ...this.#counts,
      bytes: this.#files.bytes,
      maxBytes,
      isWritable: this.#status === "writing",
    };
  }

  /** Restores the usage of the previous process, and then begins to write. */
  start(): void {
    this.#opening ??= this.#open();
  }

  /**
   * Whether another report should wait until everything recorded so far is on the disk: many large ones can arrive before
   * the first one is written, or while the directory is opened. False if the disk fails or does not respond.
   */
  get isBusy(): boolean {
    // NOTE: `flushed()` does not wait for a late batch.
    const isInTime = !this.#queue.isLate && this.#committing?.isLate !== true;
    const isUsable = this.#status === "writing" || this.#status === "opening";
    return isUsable && this.#queue.bytes > BUSY_BYTES && isInTime;
  }

  /** Records a change. */
  record(kind: ChangeKind, content: PendingContent): void {
    const records = kind === "add" ? 1 : 0;
    if (kind !== "set") this.#hasChanges = true;
    if (this.#status === "failed" || this.#status === "closed") {
      this.#counts.unwritten += records;
      return;
    }
    this.#queue.add(toLines(kind, content), records);
    if (this.#queue.bytes > MAX_QUEUED_BYTES) this.#fail("the disk is too slow");
    else this.#commit();
  }

  /**
   * Resolves when everything recorded so far is on the disk, or will not be: because the disk fails,
   * or takes longer than the maximum time.
   */
  async flushed(): Promise<void> {
    await (this.#queue.isEmpty ? this.#committing : this.#queue)?.awaited;
  }

  /** Deletes files that are no longer needed. Must be called after usage was delivered. */
  async compact(): Promise<void> {
    // A copy that has begun can contain usage that was delivered since.
    await this.#replacing;
    if (this.#status !== "writing") return;
    const isDelivered = this.#hasChanges && this.#options.pending.isEmpty;
    if (isDelivered || this.#isLarge) await this.#replaceFiles();
  }

  /** Writes what is still to be written, within the maximum time. Deletes the files if no usage is left. */
  async close(): Promise<void> {
    const maxCloseMs = this.#options.maxCloseMs ?? MAX_CLOSE_MS;
    await Promise.race([this.#close(), delay(maxCloseMs, undefined, { ref: false })]);
  }

  async #close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#opening;
    await this.flushed();
    // The last attempt to open can have failed.
    clearTimeout(this.#retry);
    const hasFailed = this.#status !== "writing";
    this.#status = "closed";
    await this.#commits;
    this.#queue.end(false);
    await this.#replacing;
    await this.#files.seal();
    if (!hasFailed && this.#options.pending.isEmpty)
      await this.#files.delete().catch(() => undefined);
    await this.#lock?.release();
  }

  #createBatch(): SpoolBatch {
    return new SpoolBatch(this.#options.maxWaitMs ?? MAX_WAIT_MS);
  }

  get #isLarge(): boolean {
    return this.#files.bytes > Math.max(MIN_REPLACED_BYTES, GROWTH * this.#copyBytes);
  }

  #commit(): void {
    if (this.#status === "writing") this.#commits ??= this.#commitAll();
  }

  /** Writes batches until the queue is empty, or a write fails. */
  async #commitAll(): Promise<void> {
    // Lets the records of the same event-loop tick join the first batch.
    await Promise.resolve();
    while (this.#status === "writing" && !this.#queue.isEmpty) {
      const batch = this.#queue;
      this.#queue = this.#createBatch();
      this.#committing = batch;
      const startMs = performance.now();
      // oxlint-disable-next-line no-await-in-loop -- one write at a time
      const problem = await this.#write(batch);
      this.#committing = undefined;
      this.#finish(batch, problem);
      const restMs = COMMIT_INTERVAL_MS - (performance.now() - startMs);
      // oxlint-disable-next-line no-await-in-loop -- one write at a time
      if (restMs > 0 && this.#status === "writing") await delay(restMs);
    }
    this.#commits = undefined;
  }

  #finish(batch: SpoolBatch, problem: string | undefined): void {
    const isInTime = problem === undefined && !batch.isLate;
    this.#counts[isInTime ? "written" : "unwritten"] += batch.records;
    batch.end(problem === undefined);
    if (problem !== undefined) this.#fail(problem);
    else if (this.#isLarge) void this.#replaceFiles();
  }

  /** Returns the problem if the batch could not be written. */
  async #write(batch: SpoolBatch): Promise<string | undefined> {
    const { maxBytes } = this.#options;
    const limit = this.#replacing === undefined ? maxBytes * MAX_FILL : maxBytes;
    if (this.#files.bytes + batch.bytes > limit)
      return `it would exceed its limit of ${maxBytes} bytes`;
    try {
      await this.#files.append(batch.text);
      return undefined;
    } catch (error) {
      return describeCause(error);
    }
  }

  /**
   * Writes a copy of what is pending to new files, and deletes all older ones. Returns whether
   * this succeeded.
   */
  #replaceFiles(): Promise<boolean> {
    this.#replacing ??= this.#writeCopy().finally(() => {
      this.#replacing = undefined;
    });
    return this.#replacing;
  }

  async #writeCopy(): Promise<boolean> {
    const { pending } = this.#options;
    // From here on, everything is written to a new file. Names that are added later have
    // all their records there.
    this.#files.beginNew();
    this.#hasChanges = !this.#queue.isEmpty;
    const until = this.#files.lastNumber;
    let isWritten = true;
    for (const content of pending.values()) {
      // NOTE: the content and its position among the records are determined at the same moment.
      this.record("set", content);
      // oxlint-disable-next-line no-await-in-loop -- keeps the queue, and pauses of the event loop, short
      if (this.#queue.bytes > SLICE_BYTES) isWritten = await this.#queue.done;
      if (!isWritten || this.#status !== "writing") return false;
    }
    this.#queue.requireWrite();
    const last = this.#queue.done;
    this.#commit();
    if (!(await last)) return false;
    this.#copyBytes = this.#files.bytesAfter(until);
    // NOTE: a file that cannot be deleted now is deleted with the next copy.
    await this.#files.delete({ until }).catch(() => undefined);
    return true;
  }

  #fail(problem: string): void {
    if (this.#status === "closed") return;
    this.#status = "failed";
    this.#counts.unwritten += this.#queue.records;
    this.#queue.end(false);
    this.#queue = this.#createBatch();
    if (this.#lastProblem !== problem) {
      const { directory, warn } = this.#options;
      warn(`Usage is only in memory, because the spool ${directory} cannot be used: ${problem}`);
    }
    this.#lastProblem = problem;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#opening = this.#open();
    }, RETRY_MS).unref();
  }

  /** Acquires the directory, and replaces what is in it with the usage that is pending. */
  async #open(): Promise<void> {
    // NOTE: a slow attempt can still be in progress when the next one is due.
    await this.#opening;
    await this.#commits;
    await this.#replacing;
    if (this.#isClosed || this.#status === "writing") return;
    const problem = await this.#prepare().catch(describeProblem);
    if (this.#isClosed) return;
    if (problem !== undefined) {
      this.#fail(problem);
      return;
    }
    const { written } = this.#counts;
    const after = this.#files.lastNumber;
    this.#status = "writing";
    if (await this.#replaceFiles()) this.#logRecovery();
    else if (this.#counts.written === written) await this.#deleteAttempt(after);
  }

  get #isClosed(): boolean {
    return this.#status === "closed";
  }

  /** Acquires the directory and restores the usage in it; returns the problem, if there is one. */
  async #prepare(): Promise<string | undefined> {
    await this.#files.seal();
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    this.#lock ??= await lockDirectory(this.#options.directory, {
      onLost: () => {
        this.#lock = undefined;
        this.#isRestored = false;
        this.#fail(TAKEN_OVER);
      },
    });
    if (!this.#isRestored) await this.#restore();
    if (this.#lock === undefined) return TAKEN_OVER;
    this.#isRestored = true;
    // Then everything in the files has been delivered. On a full disk, this frees space.
    if (this.#options.pending.isEmpty) await this.#files.delete();
    return undefined;
  }

  /** Deletes files in which no usage was confirmed, so that failed attempts do not fill the disk. */
  async #deleteAttempt(after: number): Promise<void> {
    await this.#commits;
    await this.#files.seal();
    await this.#files.delete({ after }).catch(() => undefined);
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
    const { pending, warn, onRestored } = this.#options;
    const left = new PendingData({ memory: new FairShare(Infinity) });
    await this.#files.load((file) => this.#readInto(left, file));
    // The new owner of the directory restores it.
    if (this.#lock === undefined) return;
    const restored = { usage: 0, impactMetrics: 0, registration: 0 };
    for (const content of left.values()) {
      pending.restore(content);
      if ("usage" in content) restored.usage += 1;
      else if ("impactMetrics" in content) restored.impactMetrics += 1;
      else restored.registration += 1;
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
  async #readInto(left: PendingData, { path }: SpoolFile): Promise<boolean> {
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

function describeProblem(error: unknown): string {
  return error instanceof DirectoryInUseError
    ? `${error.holder} is using it. Each process needs its own directory`
    : describeCause(error);
}
