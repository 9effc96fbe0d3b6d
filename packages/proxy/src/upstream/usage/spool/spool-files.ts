import { createReadStream, readdirSync, statSync } from "node:fs";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { OWNER_ONLY, syncDirectory } from "flags-sdk/internal";
import { MAX_LINE_BYTES, readLine, type SpoolRecord } from "./spool-record.ts";

export interface SpoolFile {
  readonly path: string;
  readonly number: number;
  bytes: number;
}

/** The first line of every file. The number changes if older versions cannot read the rest. */
const HEADER = "flags-usage-spool 3\n";
const NAME = /^usage-(\d{1,12})\.log$/;
const LINE_BREAK = 0x0a;

export interface SpoolFileReport {
  /** False: it was written by a version with another format, and was not read. */
  readonly isKnownFormat: boolean;
  /** Lines with a wrong checksum. Does not count an incomplete last one, whose write was never confirmed. */
  readonly damagedLines: number;
}

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

export class SpoolFiles {
  readonly #directory: string;
  /** The oldest first. */
  #files: readonly SpoolFile[] = [];
  #lastNumber = 0;
  #handle: FileHandle | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Returns the size of the files that an earlier process has left; 0 if that is not known. */
  measureLeft(): number {
    try {
      const names = readdirSync(this.#directory).filter((name) => NAME.test(name));
      return names.reduce((sum, name) => sum + statSync(join(this.#directory, name)).size, 0);
    } catch {
      return 0;
    }
  }

  /** Reads the files that an earlier process has left, the oldest first. Those for which `read` resolves to false stay. */
  async load(read: (path: string) => Promise<boolean>): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => NAME.test(name));
    const found = names.map(async (name) => {
      const path = join(this.#directory, name);
      return { path, number: Number(NAME.exec(name)?.[1]), bytes: (await stat(path)).size };
    });
    const readable: SpoolFile[] = [];
    for (const file of (await Promise.all(found)).toSorted((a, b) => a.number - b.number)) {
      this.#lastNumber = Math.max(this.#lastNumber, file.number);
      // oxlint-disable-next-line no-await-in-loop -- in order
      if (await read(file.path)) readable.push(file);
    }
    this.#files = readable;
  }

  /** Ends the current file, and creates the next one. Its entry in the directory is durable. */
  async begin(): Promise<void> {
    await this.end();
    this.#lastNumber += 1;
    const name = `usage-${String(this.#lastNumber).padStart(8, "0")}.log`;
    const path = join(this.#directory, name);
    this.#handle = await open(path, "wx", OWNER_ONLY);
    this.#files = [...this.#files, { path, number: this.#lastNumber, bytes: 0 }];
    await this.append(HEADER);
    await syncDirectory(this.#directory);
  }

  /** Resolves when the text is on the disk. After an error, begin a new file, because the end of this one is unknown. */
  async append(text: string): Promise<void> {
    const content = Buffer.from(text);
    // NOTE: counted before, because a failed write can have written a part.
    const file = this.#files.at(-1);
    if (file !== undefined) file.bytes += content.length;
    await this.#handle?.appendFile(content);
    await this.#handle?.datasync();
  }

  async end(): Promise<void> {
    // NOTE: everything that matters has already been flushed to the disk.
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
  }

  /** Deletes the complete files whose numbers are above one and up to another. */
  async delete({ after = -1, until = Infinity } = {}): Promise<void> {
    // NOTE: the oldest first, since what is left after a crash must still add up.
    for (const file of this.#files) {
      if (file.number <= after || file.number > until) continue;
      // oxlint-disable-next-line no-await-in-loop -- in order
      await rm(file.path, { force: true });
      this.#files = this.#files.filter((other) => other !== file);
    }
  }
}
