import { rm } from "node:fs/promises";
import { listSpoolFiles, SpoolFileWriter } from "./spool-file.ts";
import type { SpoolFile } from "./spool-file.ts";

/** The files with numbers above one and up to another. */
interface FileRange {
  /** @default no lower limit */
  readonly after?: number;
  /** @default no upper limit */
  readonly until?: number;
}

/** The files of a spool: the one that is being written, and the older ones. */
export class SpoolFiles {
  readonly #directory: string;
  #writer: SpoolFileWriter | undefined;
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
    const files = this.#writer === undefined ? this.#sealed : [...this.#sealed, this.#writer];
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

  /** Resolves when the text is on the disk. After an error, `seal` must be called before the next call. */
  async append(text: string): Promise<void> {
    if (this.#isNewFileDue || this.#writer === undefined) {
      this.#isNewFileDue = false;
      this.#lastNumber += 1;
      await this.seal();
      this.#writer = await SpoolFileWriter.create(this.#directory, this.#lastNumber);
    }
    await this.#writer.append(text);
  }

  /** Ends the current file. */
  async seal(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#sealed = [
      ...this.#sealed,
      { path: writer.path, number: writer.number, bytes: writer.bytes },
    ];
    this.#writer = undefined;
    // NOTE: everything that matters has already been flushed to the disk.
    await writer.close().catch(() => undefined);
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
