/** Requests of all clients that wait at the same time. */
const MAX_WAITING = 2000;

/** Limits how many requests wait for the verification of their key. */
export class WaitingRequests {
  readonly #byAddress = new Map<string, number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Admits a request, and returns a function to call when it no longer waits. Returns undefined if
   * too many requests wait.
   */
  enter(address: string): (() => void) | undefined {
    const own = this.#byAddress.get(address) ?? 0;
    // An address may use at most as much as it leaves free, so that a few cannot exhaust the limit.
    if (own >= MAX_WAITING - this.#count) return undefined;
    this.#count += 1;
    this.#byAddress.set(address, own + 1);
    return () => this.#leave(address);
  }

  #leave(address: string): void {
    this.#count -= 1;
    const own = (this.#byAddress.get(address) ?? 0) - 1;
    if (own > 0) this.#byAddress.set(address, own);
    else this.#byAddress.delete(address);
  }
}
