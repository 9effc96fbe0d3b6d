import { cacheKeyOf, digestKey, type Grant, type KeyKind } from "./grant.ts";
import type { KeysChange, ValidKey } from "./verified-key.ts";
import type { VisibleFlags } from "./visible-flags.ts";

export interface VerifiedGrant {
  readonly verified: ValidKey;
  readonly grant: Grant;
}

/**
 * Maps API keys to grants. A presented key is looked up by its digest, and never compared with another text: the duration
 * of a lookup reveals nothing about the keys.
 */
export class KeyRegistry {
  readonly #now: () => number;
  /** The keys in settings and in the access file, by their digests. Replaced as a whole. */
  #listed: ReadonlyMap<string, readonly Grant[]>;
  readonly #verified = new Map<string, VerifiedGrant>();

  constructor(grants: readonly Grant[], now: () => number = Date.now) {
    this.#now = now;
    this.#listed = groupByKey(grants);
  }

  /** Replaces all grants but those of verified keys at once. The next request uses the new ones. */
  replace(grants: readonly Grant[]): void {
    this.#listed = groupByKey(grants);
  }

  get verified(): readonly VerifiedGrant[] {
    return [...this.#verified.values()];
  }

  /**
   * Adds, replaces and removes keys that the upstream has verified. Returns whether a previous grant is no longer
   * valid.
   *
   * @param toGrant returns what a verified key allows; undefined if no source serves it
   */
  updateVerified(
    { verified, revoked }: KeysChange,
    toGrant: (key: ValidKey) => Grant | undefined,
  ): boolean {
    let isRemoved = false;
    for (const key of revoked) isRemoved = this.#verified.delete(key) || isRemoved;
    for (const key of verified) {
      const previous = this.#verified.get(key.key);
      const grant = toGrant(key);
      isRemoved ||= previous !== undefined && !allowSame(previous.grant, grant);
      if (grant === undefined) this.#verified.delete(key.key);
      else this.#verified.set(key.key, { verified: key, grant });
    }
    return isRemoved;
  }

  /** Whether a key must be verified again before it counts, by its digest. */
  isDue(key: string): boolean {
    const entry = this.#listed.has(key) ? undefined : this.#verified.get(key);
    return entry !== undefined && !counts(entry);
  }

  /** The grant of the only client key; undefined if there are several, or it has expired. */
  findOnlyClient(): Grant | undefined {
    const clients = this.#listGrants().filter(({ kind }) => kind === "client");
    const [only] = clients;
    return only && clients.length === 1 ? this.findByDigest(only.key, ["client"]) : undefined;
  }

  flagsInUse(): ReadonlySet<VisibleFlags> {
    return new Set(this.#listGrants().map(({ flags }) => flags));
  }

  /** Whether there is a grant of any kind for a key, even an expired one, but none that is due. */
  isKnown(presented: string): boolean {
    const key = digestKey(presented);
    return this.#listed.has(key) || (this.#verified.has(key) && !this.isDue(key));
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
    const listed = this.#listed.get(key);
    // NOTE: the rules of a key in a setting or a file apply even if the upstream has verified it.
    if (listed === undefined) {
      const entry = this.#verified.get(key);
      const isValid = entry !== undefined && kinds.includes(entry.grant.kind) && counts(entry);
      return isValid ? entry.grant : undefined;
    }
    return listed.find(
      ({ kind, rules }) =>
        kinds.includes(kind) &&
        (rules?.expiresAtMs === undefined || this.#now() < rules.expiresAtMs),
    );
  }

  /** Whether a stream that was opened with a grant may continue: its rules are still the same. */
  isCurrent({ key, kind, flags, rules }: Grant): boolean {
    // NOTE: a key that is due has not been revoked. If it is, the stream ends then.
    const current = this.#listed.has(key)
      ? this.findByDigest(key, [kind])
      : this.#verified.get(key)?.grant;
    return current?.kind === kind && current.flags === flags && current.rules?.id === rules?.id;
  }

  /** Returns the grant of a client key with the same rules, by its `cacheKeyOf()`. */
  findClient(clientId: string): Grant | undefined {
    const grant = this.findByDigest(keyOfClient(clientId), ["client"]);
    return grant !== undefined && cacheKeyOf(grant) === clientId ? grant : undefined;
  }

  #listGrants(): readonly Grant[] {
    return [...this.#listed.values()].flat().concat(this.verified.map(({ grant }) => grant));
  }
}

function groupByKey(grants: readonly Grant[]): ReadonlyMap<string, readonly Grant[]> {
  const byKey = new Map<string, Grant[]>();
  for (const grant of grants) {
    const list = byKey.get(grant.key) ?? [];
    list.push(grant);
    byKey.set(grant.key, list);
  }
  return byKey;
}

function allowSame(one: Grant, other: Grant | undefined): boolean {
  return one.kind === other?.kind && one.flags === other.flags;
}

function counts({ verified: { untilMs } }: VerifiedGrant): boolean {
  return performance.now() < untilMs;
}

/** Returns the digest of the key in a result of `cacheKeyOf()`. */
export function keyOfClient(clientId: string): string {
  return clientId.split(" ", 1)[0] ?? "";
}
