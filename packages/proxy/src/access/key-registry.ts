import { hash, randomBytes } from "node:crypto";
import type { FlagSource } from "flags-sdk";
import type { ProxyConfig } from "../config/config.ts";
import type { UpstreamSource } from "../sources.ts";
import { findSource } from "../token-scope.ts";

/** The purpose of a key: evaluation for clients, or reading definitions for servers. */
export type KeyKind = "client" | "server";

/** A key and the source it gives access to. */
export interface Grant {
  readonly key: string;
  readonly kind: KeyKind;
  readonly source: FlagSource;
}

/**
 * Maps API keys to flag sources.
 *
 * Keys are looked up by a hash with a secret of this process, so a lookup takes the same time for any
 * number of keys, and its duration reveals nothing about them.
 */
export class KeyRegistry {
  readonly #secret = randomBytes(32).toString("latin1");
  readonly #grants = new Map<string, Grant[]>();

  constructor(grants: readonly Grant[]) {
    for (const grant of grants) {
      const id = this.#idOf(grant.key);
      const others = this.#grants.get(id);
      if (others === undefined) this.#grants.set(id, [grant]);
      else others.push(grant);
    }
  }

  /** Returns the grant of a key, if the key is of one of these kinds. */
  find(presented: string, kinds: readonly KeyKind[]): Grant | undefined {
    return this.#grants.get(this.#idOf(presented))?.find(({ kind }) => kinds.includes(kind));
  }

  #idOf(key: string): string {
    return hash("sha256", this.#secret + key, "base64");
  }
}

/** Creates the registry of all configured keys. A key that no source serves is not in it. */
export function createKeyRegistry(
  { clientKeys, serverTokens }: Pick<ProxyConfig, "clientKeys" | "serverTokens">,
  sources: readonly UpstreamSource[],
): KeyRegistry {
  const toGrants = (kind: KeyKind, keys: readonly string[]): readonly Grant[] =>
    keys.flatMap((key) => {
      const source = findSource(key, sources);
      return source === undefined ? [] : [{ key, kind, source: source.flags }];
    });
  return new KeyRegistry([...toGrants("client", clientKeys), ...toGrants("server", serverTokens)]);
}
