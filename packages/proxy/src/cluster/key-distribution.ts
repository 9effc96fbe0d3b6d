import type { KeyVerifier } from "../upstream-keys/verified-key.ts";
import type { MessageToPrimary, WorkerPeer } from "./messages.ts";

/** Verifies keys for all workers, in the primary process, and tells them which ones are valid. */
export class KeyDistribution {
  readonly #verifier: KeyVerifier;

  /** @param workers returns the current workers */
  constructor(verifier: KeyVerifier, workers: () => Iterable<WorkerPeer>) {
    this.#verifier = verifier;
    verifier.follow((change) => {
      for (const worker of workers()) worker.send({ kind: "keys", change });
    });
  }

  /** Sends a new worker the verified keys. */
  join(worker: WorkerPeer): void {
    worker.send({ kind: "keys", change: { verified: this.#verifier.verified, revoked: [] } });
  }

  async verify(worker: WorkerPeer, { id, token }: MessageToPrimary<"verify">): Promise<void> {
    // NOTE: the change that contains a valid key has been sent before, on the same channel.
    worker.send({ kind: "verdict", id, verdict: await this.#verifier.verify(token) });
  }

  touch({ keys }: MessageToPrimary<"used">): void {
    this.#verifier.touch(keys);
  }

  close(): Promise<void> {
    return this.#verifier.close();
  }
}
