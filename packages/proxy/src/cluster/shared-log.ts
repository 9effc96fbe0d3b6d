import { type Logger, toLogger } from "flags-server-kit/neutral";
import type { MessageToPrimary, WorkerPeer } from "./messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** The logger of a worker for what all workers notice, such as a change of a file: the primary process logs it. */
export function createSharedLogger(link: Pick<PrimaryLink, "send">): Logger {
  return toLogger((level, message) => {
    void link.send({ kind: "log", level, message: String(message) });
  });
}

interface SharedLogOptions {
  readonly logger: Logger;
  readonly workers: () => Iterable<WorkerPeer>;
}

/** Logs what workers report once for all of them, and again as soon as one of them reports it again. */
export class SharedLog {
  readonly #options: SharedLogOptions;
  /** The workers that have reported a message, until all have. */
  readonly #reporters = new Map<string, Set<WorkerPeer>>();

  constructor(options: SharedLogOptions) {
    this.#options = options;
  }

  report(worker: WorkerPeer, { level, message }: MessageToPrimary<"log">): void {
    let reporters = this.#reporters.get(message);
    if (reporters === undefined || reporters.has(worker)) {
      this.#options.logger[level](message);
      reporters = new Set();
    }
    this.#reporters.set(message, reporters.add(worker));
    this.#forgetComplete();
  }

  leave(worker: WorkerPeer): void {
    for (const reporters of this.#reporters.values()) reporters.delete(worker);
    this.#forgetComplete();
  }

  /** Of a message that all running workers have reported, and of one whose reporters have all exited, nothing is left to do. */
  #forgetComplete(): void {
    const workers = [...this.#options.workers()];
    for (const [message, reporters] of this.#reporters) {
      const isComplete = workers.every((worker) => reporters.has(worker));
      if (isComplete || reporters.size === 0) this.#reporters.delete(message);
    }
  }
}
