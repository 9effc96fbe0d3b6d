/** Room for a number of entries, and a tally of those that found none. */
export class EntryBudget {
  #free: number;
  #refused = 0;

  constructor(size: number) {
    this.#free = size;
  }

  /** Claims room for one entry; false, and on the tally, when there is none. */
  claim(isAllowed: boolean): boolean {
    if (!isAllowed || this.#free === 0) {
      this.#refused += 1;
      return false;
    }
    this.#free -= 1;
    return true;
  }

  free(entries: number): void {
    this.#free += entries;
  }

  /** How many claims were refused since the last call. */
  takeRefused(): number {
    const refused = this.#refused;
    this.#refused = 0;
    return refused;
  }
}
