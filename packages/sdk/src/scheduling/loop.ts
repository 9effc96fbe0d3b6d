import { MAX_DELAY_MS } from "./backoff.ts";

/** Resolves to the delay before the next one in milliseconds; undefined ends the loop. */
type Iteration = () => Promise<number | undefined>;

const ERROR_DELAY_MS = 60_000;

/**
 * Runs iterations one after the other, never two at a time. Its timer does not keep the process
 * alive. Iterations handle their own errors: one that rejects is reported, and the next one starts later.
 */
export class Loop {
  readonly #iteration: Iteration;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(iteration: Iteration, onError: (error: unknown) => void) {
    this.#iteration = iteration;
    this.#onError = onError;
  }

  /** Starts after `delayMs`, or synchronously if that is 0. Does nothing if already started or stopped. */
  start(delayMs = 0): void {
    if (this.#isStopped || this.#timer !== undefined || this.#running !== undefined) return;
    if (delayMs === 0) this.#run();
    else this.#schedule(delayMs);
  }

  /** Ends the current delay early. Does nothing while an iteration runs. */
  wake(): void {
    if (this.#isStopped || this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#timer = undefined;
    this.#running = this.#iterate().then((delayMs) => {
      this.#running = undefined;
      if (delayMs !== undefined && !this.#isStopped) this.#schedule(delayMs);
    });
  }

  async #iterate(): Promise<number | undefined> {
    try {
      return await this.#iteration();
    } catch (error) {
      this.#onError(error);
      return ERROR_DELAY_MS;
    }
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => this.#run(), Math.min(delayMs, MAX_DELAY_MS));
    this.#timer.unref();
  }
}
