import { hash, randomBytes } from "node:crypto";
import type { UpstreamSource } from "../sources.ts";
import { findSource } from "../token-scope.ts";
import { cacheKeyOf, digestKey, type Grant, type KeyKind } from "./grant.ts";

export type { Grant, KeyKind } from "./grant.ts";

/** The grants at one time. Replaced as a whole. */
interface Table {
  /** By the hash of the key's digest. */
  readonly byHash: ReadonlyMap<string, readonly Grant[]>;
  /** By the key's digest, as grants contain it. */
  readonly byKey: ReadonlyMap<string, readonly Grant[]>;
  readonly clientKeys: readonly string[];
  readonly expiring: readonly Grant[];
}

/**
 * Maps API keys to grants.
 *
 * A presented key is hashed, and its digest is looked up by a hash with a secret of this process. So keys
 * and digests of keys are in one table, a lookup takes the same time for any number of keys, and its
 * duration reveals nothing about them.
 */
export class KeyRegistry {
  readonly #secret = randomBytes(32).toString("latin1");
  readonly #now: () => number;
  #table: Table;

  constructor(grants: readonly Grant[], now: () => number = Date.now) {
    this.#now = now;
    this.#table = this.#createTable(grants);
  }

  /** Replaces all grants at once. The next request uses the new ones. */
  replace(grants: readonly Grant[]): void {
    this.#table = this.#createTable(grants);
  }

  /** Returns the grant of a key, if the key is of one of these kinds and has not expired. */
  find(presented: string, kinds: readonly KeyKind[]): Grant | undefined {
    return this.#choose(this.#table.byHash.get(this.#hashOf(digestKey(presented))), kinds);
  }

  /** Like `find()`, for the `key` of a grant. */
  findByDigest(key: string, kinds: readonly KeyKind[]): Grant | undefined {
    return this.#choose(this.#table.byKey.get(key), kinds);
  }

  /** Whether a stream that was opened with a grant may continue: its rules are still the same. */
  isCurrent({ key, kind, source, access }: Grant): boolean {
    const current = this.findByDigest(key, [kind]);
    return current?.source === source && current.access?.policyId === access?.policyId;
  }

  /**
   * Texts that identify the client keys and their rules, for tokens of streams: a token contains a
   * context that was checked against these rules. The same list until the grants are replaced.
   */
  get clientKeys(): readonly string[] {
    return this.#table.clientKeys;
  }

  /** Returns the grant of an entry of `clientKeys`. */
  findClient(clientKey: string): Grant | undefined {
    const [digest = ""] = clientKey.split(" ", 1);
    const grant = this.findByDigest(digest, ["client"]);
    return grant !== undefined && cacheKeyOf(grant) === clientKey ? grant : undefined;
  }

  /** Whether a key expired between two times, in epoch milliseconds. */
  hasExpiryBetween(startMs: number, endMs: number): boolean {
    return this.#table.expiring.some(({ access }) => {
      const timeMs = access?.expiresAtMs ?? 0;
      return timeMs > startMs && timeMs <= endMs;
    });
  }

  #choose(grants: readonly Grant[] | undefined, kinds: readonly KeyKind[]): Grant | undefined {
    return grants?.find(
      ({ kind, access }) =>
        kinds.includes(kind) &&
        (access?.expiresAtMs === undefined || this.#now() < access.expiresAtMs),
    );
  }

  #createTable(grants: readonly Grant[]): Table {
    const byHash = new Map<string, Grant[]>();
    const byKey = new Map<string, Grant[]>();
    for (const grant of grants) {
      const list = byKey.get(grant.key) ?? [];
      list.push(grant);
      byKey.set(grant.key, list);
      byHash.set(this.#hashOf(grant.key), list);
    }
    const clients = grants.filter(({ kind }) => kind === "client");
    return {
      byHash,
      byKey,
      clientKeys: [...new Set(clients.map(cacheKeyOf))],
      expiring: grants.filter(({ access }) => access?.expiresAtMs !== undefined),
    };
  }

  #hashOf(digest: string): string {
    return hash("sha256", this.#secret + digest, "base64");
  }
}

/** The keys in settings. */
export interface StaticKeys {
  readonly clientKeys: readonly string[];
  readonly serverTokens: readonly string[];
}

/** Returns the grants of all keys in settings. A key that no source serves has none. */
export function createStaticGrants(
  { clientKeys, serverTokens }: StaticKeys,
  sources: readonly UpstreamSource[],
): readonly Grant[] {
  const toGrants = (kind: KeyKind, keys: readonly string[]): readonly Grant[] =>
    keys.flatMap((key) => {
      const source = findSource(key, sources);
      return source === undefined ? [] : [{ key: digestKey(key), kind, source: source.flags }];
    });
  return [...toGrants("client", clientKeys), ...toGrants("server", serverTokens)];
}
