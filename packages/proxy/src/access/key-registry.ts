import type { Source } from "../sources.ts";
import { findSource, limitedProject } from "../token-scope.ts";
import { cacheKeyOf, digestKey, type Grant, type KeyKind, UPSTREAM_KEYS_NAME } from "./grant.ts";
import type { Visibility, VisibleFlags } from "./visible-flags.ts";
import type { Validity } from "./verified-key.ts";

/** The grants at one time. Replaced as a whole. */
interface Table {
  /** By the key's digest. */
  readonly byKey: ReadonlyMap<string, readonly Grant[]>;
  readonly expiring: readonly Grant[];
}

/** A key that the upstream has verified. */
interface VerifiedEntry {
  readonly grant: Grant;
  /** A time of `performance.now()`; see `Validity`. */
  untilMs: number;
  /** Whether it was used since the uses were last read. */
  isUsed: boolean;
}

/**
 * Maps API keys to grants.
 *
 * A presented key is looked up by its digest. So keys and digests of keys are in one table, a lookup takes
 * the same time for any number of keys, and no key is ever compared with another text: the duration of a
 * lookup reveals nothing about the keys.
 */
export class KeyRegistry {
  readonly #now: () => number;
  #table: Table;
  /** Keys that the upstream has verified, by their digests. */
  readonly #verified = new Map<string, VerifiedEntry>();
  /** Undefined after a change. */
  #clientIds: readonly string[] | undefined;

  constructor(grants: readonly Grant[], now: () => number = Date.now) {
    this.#now = now;
    this.#table = this.#createTable(grants);
  }

  /** Replaces all grants at once. The next request uses the new ones. */
  replace(grants: readonly Grant[]): void {
    this.#table = this.#createTable(grants);
    this.#clientIds = undefined;
  }

  /**
   * Adds, replaces and removes keys that the upstream has verified. They count after `extend()`. Returns whether
   * a previous grant is no longer valid.
   *
   * @param removed digests of keys
   */
  updateVerified(grants: readonly Grant[], removed: readonly string[]): boolean {
    let isRemoved = false;
    for (const key of removed) isRemoved = this.#verified.delete(key) || isRemoved;
    for (const grant of grants) {
      const previous = this.#verified.get(grant.key)?.grant;
      const isSame = previous?.kind === grant.kind && previous.flags === grant.flags;
      isRemoved ||= previous !== undefined && !isSame;
      this.#verified.set(grant.key, { grant, untilMs: Number.NEGATIVE_INFINITY, isUsed: true });
    }
    if (grants.length > 0 || removed.length > 0) this.#clientIds = undefined;
    return isRemoved;
  }

  /** Sets how long verified keys count. */
  extend(validity: readonly Validity[]): void {
    for (const { key, untilMs } of validity) {
      const entry = this.#verified.get(key);
      if (entry !== undefined) entry.untilMs = untilMs;
    }
  }

  /**
   * Whether a key must be verified again before it counts.
   *
   * @param key a digest
   */
  isDue(key: string): boolean {
    const entry = this.#table.byKey.has(key) ? undefined : this.#verified.get(key);
    return entry !== undefined && !counts(entry);
  }

  /** Returns the digests of verified keys that were used since the last call. */
  takeUsedVerified(): readonly string[] {
    const used: string[] = [];
    for (const entry of this.#verified.values()) {
      if (entry.isUsed) used.push(entry.grant.key);
      entry.isUsed = false;
    }
    return used;
  }

  /** The flags of all grants. */
  flagsInUse(): ReadonlySet<VisibleFlags> {
    return new Set(this.#listGrants().map(({ flags }) => flags));
  }

  /** Whether there is a grant of any kind for a key, even an expired one, but none that is due. */
  isKnown(presented: string): boolean {
    const key = digestKey(presented);
    const verified = this.#verified.get(key);
    return this.#table.byKey.has(key) || (verified !== undefined && counts(verified));
  }

  /** Returns the grant of a key, if the key is of one of these kinds and has not expired. */
  find(presented: string, kinds: readonly KeyKind[]): Grant | undefined {
    return this.findByDigest(digestKey(presented), kinds);
  }

  /** Returns the grant of the first text that is a key, as `find()` does. */
  findFirst(candidates: readonly string[], kinds: readonly KeyKind[]): Grant | undefined {
    for (const candidate of candidates) {
      const grant = this.find(candidate, kinds);
      if (grant !== undefined) return grant;
    }
    return undefined;
  }

  /** Like `find()`, for the `key` of a grant. */
  findByDigest(key: string, kinds: readonly KeyKind[]): Grant | undefined {
    const listed = this.#table.byKey.get(key);
    return listed === undefined ? this.#findVerified(key, kinds) : this.#choose(listed, kinds);
  }

  /** Whether a stream that was opened with a grant may continue: its rules are still the same. */
  isCurrent({ key, kind, flags, rules }: Grant): boolean {
    // NOTE: a key that is due has not been revoked. If it is, the stream ends then.
    const current = this.#table.byKey.has(key)
      ? this.findByDigest(key, [kind])
      : this.#verified.get(key)?.grant;
    return current?.kind === kind && current.flags === flags && current.rules?.id === rules?.id;
  }

  /**
   * Texts that identify the client keys and their rules, for tokens of streams: a token contains a
   * context that was checked against these rules. The same list until the grants are replaced.
   */
  get clientIds(): readonly string[] {
    this.#clientIds ??= this.#listClientIds();
    return this.#clientIds;
  }

  /** Returns the grant of an entry of `clientIds`. */
  findClient(clientId: string): Grant | undefined {
    const grant = this.findByDigest(keyOfClient(clientId), ["client"]);
    return grant !== undefined && cacheKeyOf(grant) === clientId ? grant : undefined;
  }

  /** Whether a key expired between two times, in epoch milliseconds. */
  hasExpiryBetween(startMs: number, endMs: number): boolean {
    return this.#table.expiring.some(({ rules }) => {
      const timeMs = rules?.expiresAtMs ?? 0;
      return timeMs > startMs && timeMs <= endMs;
    });
  }

  #choose(grants: readonly Grant[], kinds: readonly KeyKind[]): Grant | undefined {
    return grants.find(
      ({ kind, rules }) =>
        kinds.includes(kind) &&
        (rules?.expiresAtMs === undefined || this.#now() < rules.expiresAtMs),
    );
  }

  /** NOTE: only for a key that no setting and no file contains. Otherwise their rules apply. */
  #findVerified(key: string, kinds: readonly KeyKind[]): Grant | undefined {
    const entry = this.#verified.get(key);
    if (entry === undefined || !kinds.includes(entry.grant.kind) || !counts(entry))
      return undefined;
    entry.isUsed = true;
    return entry.grant;
  }

  #listClientIds(): readonly string[] {
    const clients = this.#listGrants().filter(({ kind }) => kind === "client");
    return [...new Set(clients.map(cacheKeyOf))];
  }

  #listGrants(): readonly Grant[] {
    const verified = [...this.#verified.values()].map(({ grant }) => grant);
    return [...[...this.#table.byKey.values()].flat(), ...verified];
  }

  #createTable(grants: readonly Grant[]): Table {
    const byKey = new Map<string, Grant[]>();
    for (const grant of grants) {
      const list = byKey.get(grant.key) ?? [];
      list.push(grant);
      byKey.set(grant.key, list);
    }
    return {
      byKey,
      expiring: grants.filter(({ rules }) => rules?.expiresAtMs !== undefined),
    };
  }
}

function counts({ untilMs }: VerifiedEntry): boolean {
  return performance.now() < untilMs;
}

/** Returns the digest of the key that an entry of `clientIds` identifies. */
export function keyOfClient(clientId: string): string {
  return clientId.split(" ", 1)[0] ?? "";
}

/** The names in metrics of the keys in settings, which have no names of their own. */
const STATIC_NAMES = {
  client: "FLAGS_PROXY_CLIENT_KEYS",
  server: "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS",
};

/** Counts the requests of each key. */
export class KeyUses {
  #counts = new Map<string, number>();

  /** Counts a request. */
  count({ kind, rules }: Pick<Grant, "kind" | "rules">): void {
    const name = rules?.name ?? STATIC_NAMES[kind];
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /**
   * Forgets keys that no longer exist, and starts to count new ones at 0.
   *
   * @param hasUpstreamKeys whether there can also be keys that the upstream verifies
   */
  follow(grants: readonly Grant[], hasUpstreamKeys: boolean): void {
    const names = grants.map(({ kind, rules }) => rules?.name ?? STATIC_NAMES[kind]);
    if (hasUpstreamKeys) names.push(UPSTREAM_KEYS_NAME);
    this.#counts = new Map(names.map((name) => [name, this.#counts.get(name) ?? 0]));
  }

  entries(): Iterable<readonly [name: string, count: number]> {
    return this.#counts;
  }
}

/** The keys in settings. */
export interface StaticKeys {
  readonly clientKeys: readonly string[];
  readonly serverTokens: readonly string[];
  /** Whether a key gives only flags of the project that its text names. */
  readonly limitsKeysToProject: boolean;
}

/** Returns the grants of all keys in settings. A key that no source serves has none. */
export function createStaticGrants(
  { clientKeys, serverTokens, limitsKeysToProject }: StaticKeys,
  sources: readonly Source[],
  visibility: Visibility,
): readonly Grant[] {
  const toGrants = (kind: KeyKind, keys: readonly string[]): readonly Grant[] =>
    keys.flatMap((key) => {
      const source = findSource(key, sources);
      if (source === undefined) return [];
      const project = limitsKeysToProject ? limitedProject(key, source) : undefined;
      const projects = project === undefined ? undefined : [project];
      const flags = visibility.get(source, { projects });
      return [{ key: digestKey(key), kind, flags }];
    });
  return [...toGrants("client", clientKeys), ...toGrants("server", serverTokens)];
}
