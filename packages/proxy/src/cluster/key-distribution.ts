import type {
  KeysChange,
  KeysListener,
  KeyVerifier,
  Verdict,
} from "../core/access/verified-key.ts";
import type { MessageToWorker } from "./messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** With times relative to now, since each process has its own clock. */
export function toKeysMessage(change: KeysChange): MessageToWorker<"keys"> {
  return { kind: "keys", change: shiftTimes(change, -performance.now()) };
}

function shiftTimes({ verified, revoked }: KeysChange, byMs: number): KeysChange {
  return { verified: verified.map((key) => ({ ...key, untilMs: key.untilMs + byMs })), revoked };
}

/** If the primary process has failed to verify a key. */
const UNKNOWN: Verdict = { status: "unknown", retryAfterSeconds: 1 };

/** Lets the primary process verify keys, so that its limits are those of all workers. */
export class WorkerKeyVerifier implements KeyVerifier {
  readonly #link: Pick<PrimaryLink, "call" | "send">;
  #listener: KeysListener = () => {};

  constructor(link: Pick<PrimaryLink, "call" | "send">) {
    this.#link = link;
  }

  async verify(token: string): Promise<Verdict> {
    return (await this.#link.call("verifyKey", token)) ?? UNKNOWN;
  }

  async confirm(key: string): Promise<Verdict> {
    return (await this.#link.call("confirmKey", key)) ?? UNKNOWN;
  }

  /** NOTE: a worker has one listener. It learns of the verified keys as soon as the primary process responds. */
  follow(listener: KeysListener): void {
    this.#listener = listener;
    void this.#link.send({ kind: "followKeys" });
  }

  async close(): Promise<void> {}

  onChange(change: KeysChange): void {
    this.#listener(shiftTimes(change, performance.now()));
  }
}
