import { MAX_DELAY_MS } from "./next-delay.ts";

/** Does one round of work and says how long to rest before the next; undefined ends the loop. */
export type Round = () => Promise<number | undefined>;

/**
 * Runs rounds one after the other, never two at a time. Its timer does not keep the process alive.
 * A round handles its own faults: one that rejects ends the loop.
 */
export class Loop {
  readonly #round: Round;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(round: Round) {
    this.#round = round;
  }

  /** Begins with a rest of `delayMs`, or at once when there is none. */
  start(delayMs = 0): void {
    if (this.#isStopped || this.#timer !== undefined || this.#running !== undefined) return;
    if (delayMs === 0) this.#run();
    else this.#rest(delayMs);
  }

  /** Begins the next round now instead of after the rest that is under way, if one is. */
  wake(): void {
    if (this.#isStopped || this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#run();
  }

  /** Begins no further round; resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#timer = undefined;
    this.#running = this.#round().then((delayMs) => {
      this.#running = undefined;
      if (delayMs !== undefined && !this.#isStopped) this.#rest(delayMs);
    });
  }

  #rest(delayMs: number): void {
    this.#timer = setTimeout(() => this.#run(), Math.min(delayMs, MAX_DELAY_MS));
    this.#timer.unref();
  }
}
