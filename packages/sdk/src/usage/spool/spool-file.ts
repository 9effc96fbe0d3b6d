import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { OWNER_ONLY, syncDirectory } from "../../storage/durable-file.ts";
import { MAX_LINE_BYTES, readLine } from "./spool-record.ts";
import type { SpoolRecord } from "./spool-record.ts";

/** A file of the spool. */
export interface SpoolFile {
  readonly path: string;
  /** Position in the order of all files. */
  readonly number: number;
  readonly bytes: number;
}

/**
 * The first line of every file. The number changes if older versions cannot read the rest: since 2,
 * there are impact metrics and registrations.
 */
const HEADER = "flags-usage-spool 2\n";
const READABLE_HEADERS: readonly string[] = ["flags-usage-spool 1\n", HEADER];
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

/** The file that is being written. After an error it must not be written again: its end is unknown. */
export class SpoolFileWriter implements SpoolFile {
  readonly path: string;
  readonly number: number;
  readonly #file: FileHandle;
  #bytes = 0;

  private constructor(file: FileHandle, path: string, number: number) {
    this.#file = file;
    this.path = path;
    this.number = number;
  }

  /** Creates a file, which must not exist. Its entry in the directory is durable. */
  static async create(directory: string, number: number): Promise<SpoolFileWriter> {
    const path = join(directory, `usage-${String(number).padStart(8, "0")}.log`);
    const writer = new SpoolFileWriter(await open(path, "wx", OWNER_ONLY), path, number);
    try {
      await writer.append(HEADER);
      await syncDirectory(directory);
    } catch (error) {
      await writer.close();
      await rm(path, { force: true });
      throw error;
    }
    return writer;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the text is on the disk, so that it survives a failure of the machine. */
  async append(text: string): Promise<void> {
    const content = Buffer.from(text);
    // NOTE: counted before, because a failed write can have written a part.
    this.#bytes += content.length;
    await this.#file.appendFile(content);
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
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
    if (isFirst && !READABLE_HEADERS.includes(`${line?.toString()}\n`))
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
