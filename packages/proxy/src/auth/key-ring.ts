import { createHash, timingSafeEqual } from "node:crypto";
import type { FlagSource } from "flags-sdk";

/** What a key is for: evaluation for a client, or the definitions for a server. */
export type KeyKind = "client" | "server";

/** What a key gives access to. */
export interface Grant {
  readonly kind: KeyKind;
  readonly source: FlagSource;
}

/** A key and what it gives access to. */
export interface KeyRingEntry extends Grant {
  readonly key: string;
}

/** The keys that are accepted. Holds digests only, so that the keys never leave the configuration. */
export class KeyRing {
  readonly #locks: readonly { readonly digest: Buffer; readonly grant: Grant }[];
  readonly sources: readonly FlagSource[];

  constructor(entries: readonly KeyRingEntry[]) {
    this.#locks = entries.map(({ key, kind, source }) => ({
      digest: digestOf(key),
      grant: { kind, source },
    }));
    this.sources = [...new Set(entries.map(({ source }) => source))];
  }

  /**
   * What the presented key gives access to, among keys of these kinds. Takes the same time whichever
   * key it is, or none: digests are of one length, and all of them are compared.
   */
  find(presented: string, kinds: readonly KeyKind[]): Grant | undefined {
    const digest = digestOf(presented);
    let found: Grant | undefined;
    for (const lock of this.#locks) {
      const fits = timingSafeEqual(lock.digest, digest) && kinds.includes(lock.grant.kind);
      found = fits ? lock.grant : found;
    }
    return found;
  }
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
