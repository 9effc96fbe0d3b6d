import { timingSafeEqual } from "node:crypto";
import type { FlagSource } from "flags-sdk";

/** What a key is for: evaluation for a client, or the definitions for a server. */
export type KeyKind = "client" | "server";

/** A key and what it gives access to. */
export interface Grant {
  readonly key: string;
  readonly kind: KeyKind;
  readonly source: FlagSource;
}

/** The keys that are accepted. */
export class KeyRegistry {
  readonly #locks: readonly { readonly key: Buffer; readonly grant: Grant }[];
  /** Where a presented key is written for the comparison, so that none allocates. */
  readonly #presented: Buffer;
  readonly sources: readonly FlagSource[];

  constructor(entries: readonly Grant[]) {
    // One byte more than the longest key, so that a longer one never equals its beginning.
    this.#presented = Buffer.alloc(Math.max(0, ...entries.map(({ key }) => key.length)) + 1);
    this.#locks = entries.map(({ key, kind, source }) => ({
      key: Buffer.from(key.padEnd(this.#presented.length, "\0"), "latin1"),
      grant: { key, kind, source },
    }));
    this.sources = [...new Set(entries.map(({ source }) => source))];
  }

  /**
   * What the presented key gives access to, among keys of these kinds. Takes the same time whichever
   * key it is, or none: texts of one length are compared, all of them, and to their ends.
   */
  find(presented: string, kinds: readonly KeyKind[]): Grant | undefined {
    // NOTE: neither a key nor a header can hold the character that fills the rest.
    this.#presented.fill(0);
    this.#presented.write(presented, "latin1");
    let found: Grant | undefined;
    for (const lock of this.#locks) {
      const fits = timingSafeEqual(lock.key, this.#presented) && kinds.includes(lock.grant.kind);
      found = fits ? lock.grant : found;
    }
    return found;
  }
}
