import { expect, test } from "vitest";
import { AttemptLimiter, networkOf } from "./attempt-limiter.ts";

test("AttemptLimiter counts attempts per network and in total, except those given back", () => {
  let nowMs = 0;
  const limits = {
    perAddress: { burst: 2, perSecond: 1 },
    total: { burst: 3, perSecond: 0.5 },
  };
  const limiter = new AttemptLimiter(
    limits,
    (seconds) => new Error(`wait ${seconds} s`),
    () => nowMs,
  );
  limiter.take("192.0.2.1", 1)(1);
  limiter.take("192.0.2.1", 2);
  expect(() => limiter.take("192.0.2.1", 1)).toThrow("wait 1 s");
  limiter.take("192.0.2.2", 1);
  expect(() => limiter.take("192.0.2.2", 1)).toThrow("wait 2 s");
  nowMs += 2000;
  limiter.take("192.0.2.2", 1);
  expect(() => limiter.take("192.0.2.1", 1)).toThrow("wait 2 s");
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8::ffff"],
])("networkOf() ignores the port that some load balancers add to %s", (address, sameNetwork) => {
  const network = networkOf(sameNetwork);
  expect(network).not.toBe(networkOf("not an address"));
  const host = address.includes(":") ? `[${address}]` : address;
  for (const form of [address, host, `${host}:1234`]) expect(networkOf(form)).toBe(network);
});

test.each(["", "192.0.2:1", "192.0.2.1:x", "[2001:db8::1", "[192.0.2.1]:1:2", "a:1"])(
  "networkOf() puts %j, which is not an address, into one network with all others",
  (text) => {
    expect(networkOf(text)).toBe(networkOf("not an address"));
  },
);
