import { timingSafeEqual } from "node:crypto";
import type { FlagSource } from "flags-sdk";
import type { ProxyConfig } from "../config/config.ts";

/** The purpose of a key: evaluation for clients, or reading definitions for servers. */
export type KeyKind = "client" | "server";

/** A key and the source it gives access to. */
export interface Grant {
  readonly key: string;
  readonly kind: KeyKind;
  readonly source: FlagSource;
}

/** Maps API keys to flag sources. */
export class KeyRegistry {
  readonly #entries: readonly { readonly key: Buffer; readonly grant: Grant }[];
  /** Reused for every comparison, so that a lookup allocates nothing. */
  readonly #presented: Buffer;
  readonly sources: readonly FlagSource[];

  constructor(grants: readonly Grant[]) {
    // One byte more than the longest key, so that a longer text, once truncated, equals no key.
    this.#presented = Buffer.alloc(Math.max(0, ...grants.map(({ key }) => key.length)) + 1);
    this.#entries = grants.map(({ key, kind, source }) => ({
      key: Buffer.from(key.padEnd(this.#presented.length, "\0"), "latin1"),
      grant: { key, kind, source },
    }));
    this.sources = [...new Set(grants.map(({ source }) => source))];
  }

  /**
   * Returns the grant of a key, if the key is of one of these kinds. The time this takes does not
   * depend on the key: every entry is compared, in constant time and over the same length.
   */
  find(presented: string, kinds: readonly KeyKind[]): Grant | undefined {
    // NOTE: neither a key nor a header value can contain the padding character.
    this.#presented.fill(0);
    this.#presented.write(presented, "latin1");
    let found: Grant | undefined;
    for (const { key, grant } of this.#entries) {
      const isMatch = timingSafeEqual(key, this.#presented) && kinds.includes(grant.kind);
      found = isMatch ? grant : found;
    }
    return found;
  }
}

/** Creates the registry of all configured keys. At present they all give access to one source. */
export function createKeyRegistry(
  { clientKeys, serverTokens }: Pick<ProxyConfig, "clientKeys" | "serverTokens">,
  source: FlagSource,
): KeyRegistry {
  return new KeyRegistry([
    ...clientKeys.map((key) => ({ key, kind: "client" as const, source })),
    ...serverTokens.map((key) => ({ key, kind: "server" as const, source })),
  ]);
}
