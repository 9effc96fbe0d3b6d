import { expect, test } from "vitest";
import { TokenBucket } from "flags-server-kit/neutral";
import { admitRequest, type Grant, type KeyRules, UPSTREAM_KEY_RULES } from "./grant.ts";
import type { VisibleFlags } from "./visible-flags.ts";

function grantWith(rules: Partial<KeyRules>): Grant {
  const flags = {} as VisibleFlags;
  return { key: "digest", kind: "client", flags, rules: { ...UPSTREAM_KEY_RULES, ...rules } };
}

function requestFrom(origin?: string) {
  return { headers: { origin }, rawHeaders: [], socket: {} };
}

test("admitRequest() refuses requests above the rate, even if the next is allowed within a second", () => {
  const grant = grantWith({
    rateLimit: new TokenBucket({ perSecond: 2, burst: 1 }, performance.now()),
  });
  expect(admitRequest(grant, requestFrom())).toBeUndefined();
  expect(admitRequest(grant, requestFrom())).toMatchObject({
    statusCode: 429,
    headers: { "retry-after": "1" },
  });
});

test("admitRequest() refuses other origins without counting them, and admits requests without an origin", () => {
  const grant = grantWith({
    allowsOrigin: (origin) => origin === "https://app.test",
    rateLimit: new TokenBucket({ perSecond: 0.01, burst: 2 }, performance.now()),
  });
  for (let i = 0; i < 3; i++) {
    expect(admitRequest(grant, requestFrom("https://evil.test"))?.statusCode).toBe(403);
  }
  expect(admitRequest(grant, requestFrom())).toBeUndefined();
  expect(admitRequest(grant, requestFrom("https://app.test"))).toBeUndefined();
});
