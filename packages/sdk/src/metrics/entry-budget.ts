/** Room for a number of entries. */
export class EntryBudget {
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  hasRoomFor(entries: number): boolean {
    return entries <= this.#free;
  }

  /** Takes the room of one entry, which the caller knows to be there. */
  claim(): void {
    this.#free -= 1;
  }

  free(entries: number): void {
    this.#free += entries;
  }
}
