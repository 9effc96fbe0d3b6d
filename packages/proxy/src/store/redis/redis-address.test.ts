import { InvalidValue } from "flags-server-kit/command-line";
import { describe, expect, test } from "vitest";
import { describeRedisAddress, parseRedisAddress } from "./redis-address.ts";

const DEFAULTS = {
  mode: "single",
  isTls: false,
  user: undefined,
  password: undefined,
  primaryName: "",
  database: 0,
  prefix: "flags:",
};

describe("parseRedisAddress()", () => {
  test.each([
    ["redis://cache", { hosts: [{ host: "cache", port: 6379 }] }],
    ["REDIS://cache:7000/2", { hosts: [{ host: "cache", port: 7000 }], database: 2 }],
    [
      "rediss://app:p%40ss%3A@cache",
      { isTls: true, hosts: [{ host: "cache", port: 6379 }], user: "app", password: "p@ss:" },
    ],
    ["redis://:a:b@cache", { hosts: [{ host: "cache", port: 6379 }], password: "a:b" }],
    ["redis://[::1]:7000", { hosts: [{ host: "::1", port: 7000 }] }],
    ["redis://cache?prefix=shop.", { hosts: [{ host: "cache", port: 6379 }], prefix: "shop." }],
    [
      "redis+sentinel://:secret@one,two:7000/main/3",
      {
        mode: "sentinel",
        hosts: [
          { host: "one", port: 26_379 },
          { host: "two", port: 7000 },
        ],
        password: "secret",
        primaryName: "main",
        database: 3,
      },
    ],
    [
      "rediss+cluster://one,two:7000",
      {
        mode: "cluster",
        isTls: true,
        hosts: [
          { host: "one", port: 6379 },
          { host: "two", port: 7000 },
        ],
      },
    ],
  ])("parseRedisAddress() parses %s", (text, expected) => {
    expect(parseRedisAddress(text)).toEqual({ ...DEFAULTS, ...expected });
  });

  test.each([
    "redis:cache",
    "redis://",
    "redis://one,two",
    "redis://cache:0",
    "redis://cache:70000",
    "redis://cache/x",
    "redis://cache/1/2",
    "redis+sentinel://one,two",
    "redis+cluster://one/1",
    "redis://user:100%@cache",
    "redis://cache?password=x",
    "redis://cache?prefix={a}",
    "redis://us@er:secret@cache/x",
    "redis+other://user:secret@cache",
  ])("rejects %s", (text) => {
    const parsed = parseRedisAddress(text);
    expect(parsed).toBeInstanceOf(InvalidValue);
    expect((parsed as InvalidValue).detail).toMatch(/^a Redis address is redis:.*current value is/);
    expect((parsed as InvalidValue).detail).not.toContain("secret");
  });
});

test.each([
  ["redis://app:secret@cache", "redis://cache:6379"],
  ["rediss+sentinel://:secret@one,[::1]/main/3", "rediss+sentinel://one:26379,[::1]:26379/main/3"],
  ["redis+cluster://a,b", "redis+cluster://a:6379,b:6379"],
])("describeRedisAddress() omits the credentials of %s", (text, expected) => {
  const parsed = parseRedisAddress(text);
  if (parsed instanceof InvalidValue) throw new Error(parsed.detail);
  expect(describeRedisAddress(parsed)).toBe(expected);
});
