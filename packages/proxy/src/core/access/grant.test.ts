import { expect, test } from "vitest";
import { admitRequest, type Grant, type KeyRules, UPSTREAM_KEY_RULES, RateLimit } from "./grant.ts";
import type { VisibleFlags } from "./visible-flags.ts";

function grantWith(rules: Partial<KeyRules>): Grant {
  const flags = {} as VisibleFlags;
  return { key: "digest", kind: "client", flags, rules: { ...UPSTREAM_KEY_RULES, ...rules } };
}

function requestFrom(origin?: string) {
  return { headers: { origin }, rawHeaders: [], socket: {} };
}

test("admitRequest() refuses requests above the rate, even if the next is allowed within a second", () => {
  const grant = grantWith({ rateLimit: new RateLimit({ perSecond: 2, burst: 1 }, () => 0) });
  expect(admitRequest(grant, requestFrom())).toBeUndefined();
  expect(admitRequest(grant, requestFrom())).toMatchObject({
    statusCode: 429,
    headers: { "retry-after": "1" },
  });
});

test("admitRequest() refuses other origins without counting them, and admits requests without an origin", () => {
  const grant = grantWith({
    allowsOrigin: (origin) => origin === "https://app.test",
    rateLimit: new RateLimit({ perSecond: 1, burst: 2 }, () => 0),
  });
  for (let i = 0; i < 3; i++) {
    expect(admitRequest(grant, requestFrom("https://evil.test"))?.statusCode).toBe(403);
  }
  expect(admitRequest(grant, requestFrom())).toBeUndefined();
  expect(admitRequest(grant, requestFrom("https://app.test"))).toBeUndefined();
});

test("count() allows the burst, then the rate, and says how long to wait", () => {
  let nowMs = 0;
  const limit = new RateLimit({ perSecond: 2, burst: 3 }, () => nowMs);
  expect([1, 2, 3, 4].map(() => limit.count())).toEqual([0, 0, 0, 1]);
  nowMs = 500;
  expect([limit.count(), limit.count()]).toEqual([0, 1]);
  nowMs = 3_600_000;
  expect([1, 2, 3, 4].map(() => limit.count())).toEqual([0, 0, 0, 1]);
});

test("the default burst is the rate per second, but at least 1", () => {
  expect(
    [1, 2, 3]
      .map(() => new RateLimit({ perSecond: 2 }, () => 0))
      .map((limit) => [limit.count(), limit.count(), limit.count()])[0],
  ).toEqual([0, 0, 1]);
  const slow = new RateLimit({ perSecond: 0.1 }, () => 0);
  expect([slow.count(), slow.count()]).toEqual([0, 10]);
});

test("requests that are rejected do not delay the next one", () => {
  let nowMs = 0;
  const limit = new RateLimit({ perSecond: 1 }, () => nowMs);
  for (let i = 0; i < 100; i++) limit.count();
  nowMs = 1000;
  expect(limit.count()).toBe(0);
});
