import { describe, expect, test } from "vitest";
import {
  cacheKeyOf,
  digestKey,
  type Grant,
  type KeyKind,
  type KeyRules,
  UPSTREAM_KEY_RULES,
  UPSTREAM_KEYS_NAME,
} from "./grant.ts";
import { KeyRegistry } from "./key-registry.ts";
import { KeyUses } from "./key-uses.ts";
import type { ValidKey } from "./verified-key.ts";
import type { VisibleFlags } from "./visible-flags.ts";

// The registry compares flags only by identity.
const [one, two] = [{}, {}] as [VisibleFlags, VisibleFlags];
const registry = new KeyRegistry([
  { key: digestKey("a"), kind: "client", flags: one },
  { key: digestKey("b"), kind: "server", flags: one },
  { key: digestKey("c"), kind: "client", flags: two },
  { key: digestKey("b"), kind: "client", flags: two },
]);

/** A grant of a client key. Without changes of the rules, it has none. */
function grantOf(key: string, changes?: Partial<KeyRules>): Grant {
  return {
    key: digestKey(key),
    kind: "client",
    flags: one,
    ...(changes && { rules: { ...UPSTREAM_KEY_RULES, ...changes } }),
  };
}

test("find() distinguishes keys of several sources", () => {
  expect(registry.find("a", ["client"])).toEqual({
    key: digestKey("a"),
    kind: "client",
    flags: one,
  });
  expect(registry.find("c", ["client"])?.flags).toBe(two);
});

test("find() returns only grants of the given kinds, even when one key has both kinds", () => {
  expect(registry.find("a", ["server"])).toBeUndefined();
  expect(registry.find("a", ["client", "server"])?.kind).toBe("client");
  expect(registry.find("b", ["server"])?.flags).toBe(one);
  expect(registry.find("b", ["client"])?.flags).toBe(two);
});

test.each(["", "A", "aa", "a ", "\u0000", "é".repeat(10_000)])(
  "find() returns undefined for the unknown key %j",
  (key) => {
    expect(registry.find(key, ["client", "server"])).toBeUndefined();
  },
);

test("find() returns a grant until it expires", () => {
  let nowMs = 999;
  const expiring = new KeyRegistry([grantOf("a", { expiresAtMs: 1000 })], () => nowMs);
  expect(expiring.find("a", ["client"])).toBeDefined();
  nowMs = 1000;
  expect(expiring.find("a", ["client"])).toBeUndefined();
  expect(expiring.isKnown("a")).toBe(true);
});

test("isCurrent() compares the flags and the rules", () => {
  const grant = grantOf("a", { id: "1" });
  const current = new KeyRegistry([grant]);
  expect(current.isCurrent({ ...grant })).toBe(true);
  expect(current.isCurrent({ ...grant, flags: two })).toBe(false);
  expect(current.isCurrent(grantOf("a", { id: "2" }))).toBe(false);
  expect(current.isCurrent({ ...grant, kind: "server" })).toBe(false);
});

test("findClient() returns the grant of a client key only if its rules have not changed", () => {
  const grant = grantOf("a", { id: "1" });
  const server = { ...grantOf("b"), kind: "server" } as const;
  const replaced = new KeyRegistry([grant, server]);
  expect(replaced.findClient(cacheKeyOf(grant))).toBe(grant);
  expect(replaced.findClient(cacheKeyOf(server))).toBeUndefined();
  replaced.replace([grantOf("a", { id: "2" })]);
  expect(replaced.findClient(cacheKeyOf(grant))).toBeUndefined();
});

describe("keys that the upstream has verified", () => {
  const toValid = (key: string, forMs = 60_000, kind: KeyKind = "client"): ValidKey => ({
    key: digestKey(key),
    kind,
    environment: "development",
    projects: undefined,
    shownAs: key,
    untilMs: performance.now() + forMs,
  });

  const toGrant = ({ key, kind }: ValidKey, flags = one): Grant => {
    return { key, kind, flags, rules: UPSTREAM_KEY_RULES };
  };

  /** Returns whether a previous grant is no longer valid. */
  const update = (keys: KeyRegistry, verified: readonly ValidKey[], revoked: string[] = []) =>
    keys.updateVerified({ verified, revoked: revoked.map(digestKey) }, (key) => toGrant(key));

  test("count only as long as their verification does, but their streams continue", () => {
    const keys = new KeyRegistry([]);
    const grant = toGrant(toValid("a"));
    for (const change of [[toValid("a", 0)], [toValid("a", 0), toValid("unknown", 0)]]) {
      update(keys, change);
      expect(keys.find("a", ["client"])).toBeUndefined();
      expect(keys.findClient(cacheKeyOf(grant))).toBeUndefined();
      expect(keys.isKnown("a")).toBe(false);
      expect(keys.isDue(digestKey("a"))).toBe(true);
      expect(keys.isCurrent(grant)).toBe(true);
    }
    update(keys, [toValid("a")]);
    expect(keys.find("a", ["client"])).toEqual(grant);
    expect(keys.findClient(cacheKeyOf(grant))).toEqual(grant);
    expect(keys.isDue(digestKey("a"))).toBe(false);
    expect(keys.isDue(digestKey("other"))).toBe(false);
  });

  test("are found by key and by digest, for their kind only", () => {
    const keys = new KeyRegistry([]);
    const grant = toGrant(toValid("a"));
    update(keys, [toValid("a")]);
    expect(keys.isKnown("a")).toBe(true);
    expect(keys.isKnown("b")).toBe(false);
    expect(keys.find("a", ["client"])).toEqual(grant);
    expect(keys.findByDigest(grant.key, ["client"])).toEqual(grant);
    expect(keys.find("a", ["server"])).toBeUndefined();
    expect(keys.findByDigest(grant.key, ["server"])).toBeUndefined();
  });

  test("do not replace the grant of a setting or a file, even if it is of another kind or has expired", () => {
    const keys = new KeyRegistry(
      [grantOf("expired", { expiresAtMs: 1 }), { ...grantOf("server"), kind: "server" }],
      () => 1,
    );
    update(keys, [toValid("expired"), toValid("server")]);
    expect(keys.find("expired", ["client"])).toBeUndefined();
    expect(keys.find("server", ["client"])).toBeUndefined();
  });

  test("updateVerified() returns whether a previous grant is no longer valid", () => {
    const keys = new KeyRegistry([]);
    expect(update(keys, [toValid("a"), toValid("b")])).toBe(false);
    expect(update(keys, [toValid("a")], ["unknown"])).toBe(false);
    const change = { verified: [toValid("a")], revoked: [] };
    expect(keys.updateVerified(change, (key) => toGrant(key, two))).toBe(true);
    expect(update(keys, [toValid("b", 60_000, "server")])).toBe(true);
    expect(update(keys, [], ["a", "unknown"])).toBe(true);
    expect(keys.find("a", ["client"])).toBeUndefined();
    expect(keys.updateVerified({ verified: [toValid("b")], revoked: [] }, () => undefined)).toBe(
      true,
    );
    expect(keys.verified).toEqual([]);
  });

  test("flagsInUse() includes them", () => {
    const keys = new KeyRegistry([grantOf("a")]);
    const change = { verified: [toValid("b")], revoked: [] };
    keys.updateVerified(change, (key) => toGrant(key, two));
    expect(keys.flagsInUse()).toEqual(new Set([one, two]));
    update(keys, [], ["b"]);
    expect(keys.flagsInUse()).toEqual(new Set([one]));
  });
});

test("KeyUses.follow() keeps the counts of keys that still exist, and forgets the others", () => {
  const uses = new KeyUses();
  const kept = grantOf("a", { name: "kept" });
  const removed = grantOf("b", { name: "removed" });
  const added = grantOf("c", { name: "added" });
  uses.follow([kept, removed], false);
  for (const grant of [kept, kept, removed]) uses.count(grant);
  expect([...uses.entries()]).toEqual([
    ["kept", 2],
    ["removed", 1],
  ]);
  uses.follow([kept, added], true);
  expect([...uses.entries()]).toEqual([
    ["kept", 2],
    ["added", 0],
    [UPSTREAM_KEYS_NAME, 0],
  ]);
});
