import type {
  KeysChange,
  KeysListener,
  KeyVerifier,
  Verdict,
  VerifiedKey,
} from "../access/verified-key.ts";
import type { MessageToPrimary, MessageToWorker, ToPrimary, WorkerPeer } from "./messages.ts";
import { PendingReplies, type PrimaryLink } from "./primary-link.ts";

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

/** Lets the primary process verify keys, so that its limits are those of all workers. */
export class WorkerKeyVerifier implements KeyVerifier {
  readonly #link: Pick<PrimaryLink, "send">;
  readonly #verified = new Map<string, VerifiedKey>();
  readonly #listeners = new Set<KeysListener>();
  readonly #verdicts = new PendingReplies<Verdict>();

  constructor(link: Pick<PrimaryLink, "send">) {
    this.#link = link;
  }

  get verified(): readonly VerifiedKey[] {
    return [...this.#verified.values()];
  }

  verify(token: string): Promise<Verdict> {
    return this.#verdicts.request((id) => void this.#link.send({ kind: "verify", id, token }));
  }

  follow(listener: KeysListener): void {
    listener({ verified: this.verified, revoked: [] });
    this.#listeners.add(listener);
  }

  touch(keys: readonly string[]): void {
    void this.#link.send({ kind: "used", keys });
  }

  async close(): Promise<void> {}

  onChange(change: KeysChange): void {
    for (const key of change.revoked) this.#verified.delete(key);
    for (const verified of change.verified) this.#verified.set(verified.key, verified);
    for (const listener of this.#listeners) listener(change);
  }

  onVerdict({ id, verdict }: MessageToWorker<"verdict">): void {
    this.#verdicts.resolve(id, verdict);
  }
}
