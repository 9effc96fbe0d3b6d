import { statfsSync } from "node:fs";
import { DiskFullError } from "./disk-full.ts";
import type { StorageLogger } from "./storage.ts";

export const BYTES_PER_MB = 1_048_576;

/** What a file system has left; infinite where it does not report a limit. */
export interface FreeSpace {
  /** Bytes that this user may still write. */
  readonly bytes: number;
  /** Files that may still be created. */
  readonly files: number;
}

/** Reads what is free in the file system of a directory. Takes a few microseconds. */
export function readFreeSpace(directory: string): FreeSpace {
  const { bsize, blocks, bavail, files, ffree } = statfsSync(directory);
  return {
    // Some network file systems report a size of 0; btrfs and ZFS report no limit of files.
    bytes: blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize,
    files: files === 0 ? Number.POSITIVE_INFINITY : ffree,
  };
}

/** The database creates few files, but a log segment that cannot be created is fatal. */
const MIN_FREE_FILES = 32;

/** Says what is missing, or returns undefined when there is enough. */
export function describeShortage(free: FreeSpace, minFreeBytes: number): string | undefined {
  if (free.bytes < minFreeBytes) {
    return `${toMegabytes(free.bytes)} MB of disk space are free, and at least ${toMegabytes(minFreeBytes)} MB are needed (see MIN_FREE_DISK_MB)`;
  }
  return free.files < MIN_FREE_FILES
    ? `the file system can hold only ${free.files} more files (inodes), and at least ${MIN_FREE_FILES} are needed`
    : undefined;
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_MB);
}

interface DiskGuardOptions {
  readonly directory: string;
  /** Writes are refused while less than this is free. */
  readonly minFreeBytes: number;
  readonly logger: StorageLogger;
  /** @default what the file system of the directory reports */
  readonly readFree?: () => FreeSpace;
}

/**
 * Refuses writes before the disk is full. The embedded database cannot continue once it cannot
 * extend its write-ahead log, so the limit leaves space for several log segments.
 */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #readFree: () => FreeSpace;
  #isRefusing = false;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
    this.#readFree = options.readFree ?? (() => readFreeSpace(options.directory));
  }

  /** Bytes that are free now. */
  get freeBytes(): number {
    return this.#readFree().bytes;
  }

  /**
   * Reads the free space anew, and logs when writes start or stop being refused.
   *
   * @throws {DiskFullError} when too little is free for a write
   */
  assertWritable(): void {
    const { directory, minFreeBytes, logger } = this.#options;
    const shortage = describeShortage(this.#readFree(), minFreeBytes);
    if ((shortage !== undefined) !== this.#isRefusing) {
      this.#isRefusing = shortage !== undefined;
      if (shortage === undefined) logger.warn(`Writes to ${directory} are accepted again`);
      else logger.warn(`Writes to ${directory} are refused: ${shortage}. Reads continue`);
    }
    if (shortage !== undefined) throw new DiskFullError(shortage);
  }
}
