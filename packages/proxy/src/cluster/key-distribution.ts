import type {
  KeysChange,
  KeysListener,
  KeyVerifier,
  ValidKey,
  Verdict,
} from "../access/verified-key.ts";
import type { MessageToWorker, ToPrimary, WorkerPeer } from "./messages.ts";
import { PendingReplies, type PrimaryLink } from "./primary-link.ts";

/** Verifies keys for all workers, in the primary process, and sends them the valid ones. */
export class KeyDistribution {
  readonly #verifier: KeyVerifier;

  /** @param workers returns the current workers */
  constructor(verifier: KeyVerifier, workers: () => Iterable<WorkerPeer>) {
    this.#verifier = verifier;
    verifier.follow((change) => {
      const message = toMessage(change);
      for (const worker of workers()) worker.send(message);
    });
  }

  /** Handles the messages of a worker that are about keys. */
  handle(worker: WorkerPeer, message: ToPrimary): void {
    if (message.kind === "hello") {
      worker.send(toMessage(this.#verifier.known));
    } else if (message.kind === "verify") {
      void reply(worker, message.id, this.#verifier.verify(message.token));
    } else if (message.kind === "confirm") {
      void reply(worker, message.id, this.#verifier.confirm(message.key));
    }
  }

  close(): Promise<void> {
    return this.#verifier.close();
  }
}

/** NOTE: the change that contains a valid key has been sent before the verdict, on the same channel. */
async function reply(worker: WorkerPeer, id: number, verdict: Promise<Verdict>): Promise<void> {
  worker.send({ kind: "verdict", id, verdict: await verdict });
}

function toMessage(change: KeysChange): MessageToWorker<"keys"> {
  return { kind: "keys", change: shiftTimes(change, -performance.now()) };
}

function shiftTimes({ verified, revoked }: KeysChange, byMs: number): KeysChange {
  return { verified: verified.map((key) => ({ ...key, untilMs: key.untilMs + byMs })), revoked };
}

/** Lets the primary process verify keys, so that its limits are those of all workers. */
export class WorkerKeyVerifier implements KeyVerifier {
  readonly #link: Pick<PrimaryLink, "send">;
  readonly #verified = new Map<string, ValidKey>();
  readonly #listeners = new Set<KeysListener>();
  readonly #verdicts = new PendingReplies<Verdict>();

  constructor(link: Pick<PrimaryLink, "send">) {
    this.#link = link;
  }

  get known(): KeysChange {
    return { verified: [...this.#verified.values()], revoked: [] };
  }

  verify(token: string): Promise<Verdict> {
    return this.#verdicts.request((id) => void this.#link.send({ kind: "verify", id, token }));
  }

  confirm(key: string): Promise<Verdict> {
    return this.#verdicts.request((id) => void this.#link.send({ kind: "confirm", id, key }));
  }

  follow(listener: KeysListener): void {
    listener(this.known);
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {}

  onChange(sent: KeysChange): void {
    const change = shiftTimes(sent, performance.now());
    for (const key of change.revoked) this.#verified.delete(key);
    for (const verified of change.verified) this.#verified.set(verified.key, verified);
    for (const listener of this.#listeners) listener(change);
  }

  onVerdict({ id, verdict }: MessageToWorker<"verdict">): void {
    this.#verdicts.resolve(id, verdict);
  }
}
