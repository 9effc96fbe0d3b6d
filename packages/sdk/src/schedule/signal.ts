/** A promise that is settled from outside. Nobody has to wait for it: a rejection is never loose. */
export class Signal {
  readonly promise: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => undefined);
  }

  resolve(): void {
    this.#resolve();
  }

  reject(error: Error): void {
    this.#reject(error);
  }
}
