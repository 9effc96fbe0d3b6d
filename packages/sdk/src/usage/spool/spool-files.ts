import { rm } from "node:fs/promises";
import { listSegments, SegmentWriter } from "./segment.ts";
import type { Segment } from "./segment.ts";

/** The segments with numbers above one and up to another. */
interface SegmentRange {
  /** @default no lower limit */
  readonly after?: number;
  /** @default no upper limit */
  readonly until?: number;
}

/** The segments of a spool: the one that is being written, and the older ones. */
export class SpoolFiles {
  readonly #directory: string;
  #writer: SegmentWriter | undefined;
  /** Complete segments, the oldest first. */
  #sealed: readonly Segment[] = [];
  #lastNumber = 0;
  #isNewSegmentDue = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Size of all segments. */
  get bytes(): number {
    return this.bytesAfter(-1);
  }

  /** The number of the newest segment. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Returns the size of the segments that are newer than the one with this number. */
  bytesAfter(number: number): number {
    const segments = this.#writer === undefined ? this.#sealed : [...this.#sealed, this.#writer];
    return segments
      .filter((segment) => segment.number > number)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Finds the segments that an earlier process has left, the oldest first. Those for which the callback
   * resolves to false do not belong to this spool; they stay.
   */
  async load(read: (segment: Segment) => Promise<boolean>): Promise<void> {
    const readable: Segment[] = [];
    for (const segment of await listSegments(this.#directory)) {
      this.#lastNumber = Math.max(this.#lastNumber, segment.number);
      // oxlint-disable-next-line no-await-in-loop -- in order
      if (await read(segment)) readable.push(segment);
    }
    this.#sealed = readable;
  }

  /** Makes the next `append` begin a new segment. */
  beginNew(): void {
    this.#isNewSegmentDue = true;
  }

  /** Resolves when the text is on the disk. After an error, `seal` must be called before the next call. */
  async append(text: string): Promise<void> {
    if (this.#isNewSegmentDue || this.#writer === undefined) {
      this.#isNewSegmentDue = false;
      this.#lastNumber += 1;
      await this.seal();
      this.#writer = await SegmentWriter.create(this.#directory, this.#lastNumber);
    }
    await this.#writer.append(text);
  }

  /** Ends the current segment. */
  async seal(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#sealed = [
      ...this.#sealed,
      { path: writer.path, number: writer.number, bytes: writer.bytes },
    ];
    this.#writer = undefined;
    // NOTE: everything that matters has been synchronized before.
    await writer.close().catch(() => undefined);
  }

  /** Deletes complete segments. */
  async delete({ after = -1, until = Infinity }: SegmentRange = {}): Promise<void> {
    const segments = this.#sealed.filter(({ number }) => number > after && number <= until);
    // NOTE: the oldest first, since what is left after a crash must still add up.
    for (const segment of segments) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await rm(segment.path, { force: true });
      this.#sealed = this.#sealed.filter((other) => other !== segment);
    }
  }
}
