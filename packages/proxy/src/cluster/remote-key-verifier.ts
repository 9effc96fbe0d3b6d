import type {
  KeysChange,
  KeysListener,
  KeyVerifier,
  Verdict,
  VerifiedKey,
} from "../access/verified-key.ts";
import type { MessageToWorker } from "./messages.ts";
import { PendingReplies, type PrimaryLink } from "./primary-link.ts";

/** Lets the primary process verify keys, so that its limits are those of all workers. */
export class RemoteKeyVerifier implements KeyVerifier {
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
