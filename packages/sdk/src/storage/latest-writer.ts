/** Writes values one at a time; of those that arrive during a write only the latest is written. */
export class LatestWriter<Value> {
  readonly #write: (value: Value) => Promise<void>;
  readonly #onFault: (cause: unknown) => void;
  #next: { readonly value: Value } | undefined;
  #writing: Promise<void> | undefined;

  constructor(write: (value: Value) => Promise<void>, onFault: (cause: unknown) => void) {
    this.#write = write;
    this.#onFault = onFault;
  }

  write(value: Value): void {
    this.#next = { value };
    this.#writing ??= this.#drain();
  }

  /** Resolves when everything was written or has failed. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #drain(): Promise<void> {
    while (this.#next !== undefined) {
      const { value } = this.#next;
      this.#next = undefined;
      await this.#tryWrite(value);
    }
    this.#writing = undefined;
  }

  async #tryWrite(value: Value): Promise<void> {
    try {
      await this.#write(value);
    } catch (cause) {
      this.#onFault(cause);
    }
  }
}
