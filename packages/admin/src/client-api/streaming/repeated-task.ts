/**
 * A task of which one run is enough however often it was asked for meanwhile, as long as the run
 * began after the last time.
 */
export class RepeatedTask {
  readonly #task: () => Promise<void>;
  #isRunning = false;
  #isWanted = false;

  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  /** Runs the task, after the run that is under way if there is one. */
  request(): void {
    this.#isWanted = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWanted) {
      this.#isWanted = false;
      // What fails is for the next request: there is always one.
      await this.#task().catch(() => undefined);
    }
    this.#isRunning = false;
  }
}
