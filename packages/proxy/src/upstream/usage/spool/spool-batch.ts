/** Lines that are written together. */
export class SpoolBatch {
  /** Resolves to whether the lines are on the disk. */
  readonly done: Promise<boolean>;
  /** Resolves with `done`, or after the maximum time. */
  readonly awaited: Promise<void>;
  readonly #lines: string[] = [];
  readonly #maxWaitMs: number;
  #end: (isWritten: boolean) => void = () => undefined;
  #stopWaiting: () => void = () => undefined;
  #bytes = 0;
  #records = 0;
  #isRequired = false;
  #isLate = false;
  #timeout: NodeJS.Timeout | undefined;

  /** @param maxWaitMs time from the first line after which `awaited` resolves */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
    this.done = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.awaited = new Promise((resolve) => {
      this.#stopWaiting = resolve;
    });
  }

  /** Whether the maximum time has passed. */
  get isLate(): boolean {
    return this.#isLate;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0 && !this.#isRequired;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many of its records confirm usage. */
  get records(): number {
    return this.#records;
  }

  get text(): string {
    return this.#lines.join("");
  }

  add(lines: readonly string[], records: number): void {
    this.#timeout ??= setTimeout(() => {
      this.#isLate = true;
      this.#stopWaiting();
    }, this.#maxWaitMs).unref();
    for (const line of lines) {
      this.#lines.push(line);
      this.#bytes += Buffer.byteLength(line);
    }
    this.#records += records;
  }

  /** Makes the batch count as not empty. */
  requireWrite(): void {
    this.#isRequired = true;
  }

  /** Resolves `done`. Has no effect after the first call. */
  end(isWritten: boolean): void {
    clearTimeout(this.#timeout);
    this.#end(isWritten);
    this.#stopWaiting();
  }
}
