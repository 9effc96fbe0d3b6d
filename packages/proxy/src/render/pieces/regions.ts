/** Sizes are powers of two, from this one on. */
const MIN_SIZE = 4096;

/**
 * Which parts of a memory are taken. What is given back serves whoever needs a region of that size next;
 * there are few sizes, so regions are never cut or joined.
 */
export class Regions {
  readonly #free = new Map<number, number[]>();
  readonly #grow: (end: number) => void;
  #end: number;

  /**
   * @param start where the first region begins
   * @param grow makes the memory reach to an address
   */
  constructor(start: number, grow: (end: number) => void) {
    this.#end = start;
    this.#grow = grow;
  }

  take(byteLength: number): Region {
    const size = sizeFor(byteLength);
    const known = this.#free.get(size)?.pop();
    if (known !== undefined) return { start: known, end: known + size };
    const start = this.#end;
    this.#grow(start + size);
    this.#end += size;
    return { start, end: this.#end };
  }

  giveBack(region: Region): void {
    const size = lengthOf(region);
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [region.start]);
    else free.push(region.start);
  }
}

/** A part of a memory, in bytes. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/** How many bytes a region has. */
export function lengthOf({ start, end }: Region): number {
  return end - start;
}

function sizeFor(byteLength: number): number {
  let size = MIN_SIZE;
  while (size < byteLength) size *= 2;
  return size;
}
