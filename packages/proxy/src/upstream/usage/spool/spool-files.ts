import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { OWNER_ONLY, syncDirectory } from "flags-sdk/internal";
import { MAX_LINE_BYTES, readLine } from "./spool-record.ts";
import type { SpoolRecord } from "./spool-record.ts";

/** A file of the spool. */
export interface SpoolFile {
  readonly path: string;
  /** Position in the order of all files. */
  readonly number: number;
  readonly bytes: number;
}

/** The first line of every file. The number changes if older versions cannot read the rest. */
const HEADER = "flags-usage-spool 2\n";
const NAME = /^usage-(\d{1,12})\.log$/;
const LINE_BREAK = 0x0a;

/** Returns the files of the spool in a directory, in order. */
export async function listSpoolFiles(directory: string): Promise<readonly SpoolFile[]> {
  const names = (await readdir(directory)).filter((name) => NAME.test(name));
  const files = names.map(async (name) => {
    const path = join(directory, name);
    return { path, number: Number(NAME.exec(name)?.[1]), bytes: (await stat(path)).size };
  });
  return (await Promise.all(files)).toSorted((a, b) => a.number - b.number);
}

/** The result of reading a file, apart from its valid records. */
export interface SpoolFileReport {
  /** False: it was written by a version with another format, and was not read. */
  readonly isKnownFormat: boolean;
  /** Lines with a wrong checksum. Does not count an incomplete last one, whose write was never confirmed. */
  readonly damagedLines: number;
}

/** Reads the records of a file in order. */
export async function readSpoolFile(
  path: string,
  onRecord: (record: SpoolRecord) => void,
): Promise<SpoolFileReport> {
  let damagedLines = 0;
  let isFirst = true;
  for await (const line of readLines(path)) {
    if (isFirst && `${line?.toString()}\n` !== HEADER)
      return { isKnownFormat: false, damagedLines };
    const record = isFirst || line === undefined ? undefined : readLine(line);
    if (record !== undefined) onRecord(record);
    else if (!isFirst) damagedLines += 1;
    isFirst = false;
  }
  return { isKnownFormat: true, damagedLines };
}

/** Yields the complete lines of a file; undefined for one that is too long. */
async function* readLines(path: string): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_BREAK, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end);
      length += part.length;
      // Bytes beyond the limit are not stored.
      if (length <= MAX_LINE_BYTES) parts.push(part);
      if (end === -1) break;
      yield length <= MAX_LINE_BYTES ? Buffer.concat(parts) : undefined;
      parts = [];
      length = 0;
      start = end + 1;
    }
  }
}

/** The files with numbers above one and up to another. */
interface FileRange {
  /** @default no lower limit */
  readonly after?: number;
  /** @default no upper limit */
  readonly until?: number;
}

/** The file that is being written. After an error it must not be written again: its end is unknown. */
interface CurrentFile {
  readonly path: string;
  readonly number: number;
  readonly handle: FileHandle;
  bytes: number;
}

/** The files of a spool: the one that is being written, and the older ones. */
export class SpoolFiles {
  readonly #directory: string;
  #current: CurrentFile | undefined;
  /** Complete files, the oldest first. */
  #sealed: readonly SpoolFile[] = [];
  #lastNumber = 0;
  #isNewFileDue = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Size of all files. */
  get bytes(): number {
    return this.bytesAfter(-1);
  }

  /** The number of the newest file. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Returns the size of the files that are newer than the one with this number. */
  bytesAfter(number: number): number {
    const files = this.#current === undefined ? this.#sealed : [...this.#sealed, this.#current];
    return files.filter((file) => file.number > number).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Finds the files that an earlier process has left, the oldest first. Those for which the callback
   * resolves to false do not belong to this spool; they stay.
   */
  async load(read: (file: SpoolFile) => Promise<boolean>): Promise<void> {
    const readable: SpoolFile[] = [];
    for (const file of await listSpoolFiles(this.#directory)) {
      this.#lastNumber = Math.max(this.#lastNumber, file.number);
      // oxlint-disable-next-line no-await-in-loop -- in order
      if (await read(file)) readable.push(file);
    }
    this.#sealed = readable;
  }

  /** Makes the next `append` begin a new file. */
  beginNew(): void {
    this.#isNewFileDue = true;
  }

  /**
   * Resolves when the text is on the disk, so that it survives a failure of the machine. After an error, `seal` must be
   * called before the next call.
   */
  async append(text: string): Promise<void> {
    if (this.#isNewFileDue || this.#current === undefined) {
      this.#isNewFileDue = false;
      this.#lastNumber += 1;
      await this.seal();
      this.#current = await createFile(this.#directory, this.#lastNumber);
    }
    await append(this.#current, text);
  }

  /** Ends the current file. */
  async seal(): Promise<void> {
    if (this.#current === undefined) return;
    const { handle, ...file } = this.#current;
    this.#sealed = [...this.#sealed, file];
    this.#current = undefined;
    // NOTE: everything that matters has already been flushed to the disk.
    await handle.close().catch(() => undefined);
  }

  /** Deletes complete files. */
  async delete({ after = -1, until = Infinity }: FileRange = {}): Promise<void> {
    const files = this.#sealed.filter(({ number }) => number > after && number <= until);
    // NOTE: the oldest first, since what is left after a crash must still add up.
    for (const file of files) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await rm(file.path, { force: true });
      this.#sealed = this.#sealed.filter((other) => other !== file);
    }
  }
}

/** Creates a file, which must not exist. Its entry in the directory is durable. */
async function createFile(directory: string, number: number): Promise<CurrentFile> {
  const path = join(directory, `usage-${String(number).padStart(8, "0")}.log`);
  const file = { path, number, handle: await open(path, "wx", OWNER_ONLY), bytes: 0 };
  try {
    await append(file, HEADER);
    await syncDirectory(directory);
  } catch (error) {
    await file.handle.close();
    await rm(path, { force: true });
    throw error;
  }
  return file;
}

async function append(file: CurrentFile, text: string): Promise<void> {
  const content = Buffer.from(text);
  // NOTE: counted before, because a failed write can have written a part.
  file.bytes += content.length;
  await file.handle.appendFile(content);
  await file.handle.datasync();
}
