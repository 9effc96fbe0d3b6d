/**
 * A task that runs after every request, but only once for all requests during a run. A run always
 * starts after the last request.
 */
export class CoalescedTask {
  readonly #task: () => Promise<void>;
  #isRunning = false;
  #isRequested = false;

  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  /** Runs the task, after the current run if there is one. */
  request(): void {
    this.#isRequested = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isRequested) {
      this.#isRequested = false;
      // Errors are ignored: requests arrive regularly, and the next run tries again.
      await this.#task().catch(() => undefined);
    }
    this.#isRunning = false;
  }
}
