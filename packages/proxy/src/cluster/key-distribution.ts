import type { KeyVerifier } from "../access/verified-key.ts";
import type { MessageToPrimary, ToPrimary, WorkerPeer } from "./messages.ts";

/** Verifies keys for all workers, in the primary process, and sends them the valid ones. */
export class KeyDistribution {
  readonly #verifier: KeyVerifier;

  /** @param workers returns the current workers */
  constructor(verifier: KeyVerifier, workers: () => Iterable<WorkerPeer>) {
    this.#verifier = verifier;
    verifier.follow((change) => {
      for (const worker of workers()) worker.send({ kind: "keys", change });
    });
  }

  /** Handles the messages of a worker that are about keys. */
  handle(worker: WorkerPeer, message: ToPrimary): void {
    if (message.kind === "hello") {
      worker.send({ kind: "keys", change: { verified: this.#verifier.verified, revoked: [] } });
    } else if (message.kind === "verify") {
      void this.#verify(worker, message);
    } else if (message.kind === "used") {
      this.#verifier.touch(message.keys);
    }
  }

  close(): Promise<void> {
    return this.#verifier.close();
  }

  async #verify(worker: WorkerPeer, { id, token }: MessageToPrimary<"verify">): Promise<void> {
    // NOTE: the change that contains a valid key has been sent before, on the same channel.
    worker.send({ kind: "verdict", id, verdict: await this.#verifier.verify(token) });
  }
}
