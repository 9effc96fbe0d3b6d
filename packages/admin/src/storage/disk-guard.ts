import { statfsSync } from "node:fs";
import { DiskFullError, isDiskFull } from "./errors.ts";
import type { StorageLogger } from "./storage.ts";

export const BYTES_PER_MB = 1_048_576;

/** Free space of a file system; Infinity where the file system reports no limit. */
export interface FreeSpace {
  /** Bytes that this user may still write. */
  readonly bytes: number;
  /** Files that may still be created. */
  readonly files: number;
}

/** Reads the free space of the file system of a directory. Takes a few microseconds. */
export function readFreeSpace(directory: string): FreeSpace {
  const { bsize, blocks, bavail, files, ffree } = statfsSync(directory);
  return {
    // Some network file systems report a size of 0; btrfs and ZFS report no file limit.
    bytes: blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize,
    files: files === 0 ? Number.POSITIVE_INFINITY : ffree,
  };
}

/** The database creates few files, but a log segment that cannot be created is fatal. */
const MIN_FREE_FILES = 32;

/** Describes what is missing for a write; undefined if there is enough space. */
export function describeShortage(free: FreeSpace, minFreeBytes: number): string | undefined {
  if (free.bytes < minFreeBytes) {
    return `${toMegabytes(free.bytes)} MB of disk space is free, but at least ${toMegabytes(minFreeBytes)} MB is required (see MIN_FREE_DISK_MB)`;
  }
  return free.files < MIN_FREE_FILES
    ? `the file system can hold only ${free.files} more files (inodes), but at least ${MIN_FREE_FILES} are required`
    : undefined;
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_MB);
}

interface DiskGuardOptions {
  readonly directory: string;
  /** Writes are rejected while less space than this is free. */
  readonly minFreeBytes: number;
  readonly logger: StorageLogger;
  /** @default the free space of the file system of the directory */
  readonly readFree?: () => FreeSpace;
}

/**
 * Rejects writes before the disk is full. The embedded database cannot continue once it cannot
 * extend its write-ahead log, so the limit reserves space for several log segments.
 */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #readFree: () => FreeSpace;
  #isRejecting = false;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
    this.#readFree = options.readFree ?? (() => readFreeSpace(options.directory));
  }

  /** Currently free bytes. */
  get freeBytes(): number {
    return this.#readFree().bytes;
  }

  /**
   * Reads the current free space, and logs when writes start or stop being rejected.
   *
   * @throws {DiskFullError} if too little space is free for a write
   */
  assertWritable(): void {
    const { directory, minFreeBytes, logger } = this.#options;
    const shortage = describeShortage(this.#readFree(), minFreeBytes);
    if ((shortage !== undefined) !== this.#isRejecting) {
      this.#isRejecting = shortage !== undefined;
      if (shortage === undefined) logger.warn(`Writes to ${directory} are accepted again`);
      else logger.warn(`Writes to ${directory} are rejected: ${shortage}. Reads continue`);
    }
    if (shortage !== undefined) throw new DiskFullError(shortage);
  }
}

/** How long after a failed write other writes are expected to fail. */
const FAILURE_MEMORY_MS = 10_000;

/**
 * Remembers that a write failed because a disk was full. For the disk of a PostgreSQL server, and for
 * quotas that the file system does not report, a failed write is the only sign.
 */
export class DiskFullTracker {
  readonly #nowMs: () => number;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs monotonic clock in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Runs a write and records whether the database ran out of space for it. */
  async observe<T>(write: () => Promise<T>): Promise<T> {
    try {
      const result = await write();
      this.#failedAtMs = Number.NEGATIVE_INFINITY;
      return result;
    } catch (error) {
      // A write that the guard rejected never reached the disk.
      if (isDiskFull(error) && !(error instanceof DiskFullError)) this.#failedAtMs = this.#nowMs();
      throw error;
    }
  }

  /** True for 10 s after a failed write, unless a later write succeeded. */
  get isFull(): boolean {
    return this.#nowMs() - this.#failedAtMs < FAILURE_MEMORY_MS;
  }
}
