import { expect, test } from "vitest";
import { GuessLimiter } from "./guess-limiter.ts";

const LIMITS = {
  perAddress: { burst: 3, perSecond: 1 },
  total: { burst: 10, perSecond: 2 },
};
const VALID = new Set(["valid-1", "valid-2", "valid-3", "valid-4", "valid-5"]);
const ADDRESS = "192.0.2.1";

class Wait extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super();
    this.seconds = seconds;
  }
}

function createLimiter() {
  const clock = { nowMs: 0 };
  let lookups = 0;
  const limiter = new GuessLimiter(
    LIMITS,
    (problem) => new Wait(problem.retryAfterSeconds),
    () => clock.nowMs,
  );
  /** Returns the valid tokens of the request, or the seconds in `Retry-After`. */
  const send = async (secrets: readonly string[], address = ADDRESS) => {
    try {
      const found = await limiter.run(address, secrets, async () => {
        lookups += 1;
        return secrets.filter((secret) => VALID.has(secret)).map((secret) => ({ secret }));
      });
      return found.map(({ secret }) => secret);
    } catch (error) {
      if (!(error instanceof Wait)) throw error;
      return error.seconds;
    }
  };
  return { clock, limiter, send, lookups: () => lookups };
}

test("GuessLimiter rejects more unknown tokens than the burst without looking them up", async () => {
  const { clock, send, lookups } = createLimiter();
  expect(await send(["a", "b"])).toEqual([]);
  expect(await send(["c", "d"])).toBe(1);
  expect(await send(["c"])).toEqual([]);
  expect(await send(["d", "e"])).toBe(2);
  expect(lookups()).toBe(2);
  clock.nowMs += 2000;
  expect(await send(["d", "e"])).toEqual([]);
  expect(await send(["f"])).toBe(1);
});

test("GuessLimiter does not count valid tokens and repeated ones", async () => {
  const { send } = createLimiter();
  for (const secret of VALID) expect(await send([secret])).toEqual([secret]);
  expect(await send(["a", "b", "c"])).toEqual([]);
  for (let count = 0; count < 20; count += 1) {
    expect(await send(["a", "b", "c", "valid-1"])).toEqual(["valid-1"]);
  }
  expect(await send(["d"])).toBe(1);
});

test("GuessLimiter accepts known valid tokens while other clients of the address guess", async () => {
  const { send } = createLimiter();
  expect(await send(["valid-1"])).toEqual(["valid-1"]);
  expect(await send(["a", "b", "c"])).toEqual([]);
  expect(await send(["d"])).toBe(1);
  expect(await send(["valid-1"])).toEqual(["valid-1"]);
  expect(await send(["valid-2"])).toBe(1);
  expect(await send(["valid-2"], "192.0.2.2")).toEqual(["valid-2"]);
});

test("GuessLimiter applies one budget to concurrent requests", async () => {
  const { send } = createLimiter();
  const guesses = await Promise.all(["a", "b", "c", "d", "e"].map((secret) => send([secret])));
  expect(guesses.filter((result) => result === 1)).toHaveLength(2);
});

test("GuessLimiter counts a token once if concurrent requests send it", async () => {
  const { send } = createLimiter();
  const results = await Promise.all(Array.from({ length: 20 }, () => send(["valid-1"])));
  expect(results).toEqual(Array.from({ length: 20 }, () => ["valid-1"]));
});

test("GuessLimiter also limits all addresses together", async () => {
  const { clock, send } = createLimiter();
  for (let host = 1; host <= 10; host += 1)
    expect(await send(["a"], `192.0.2.${host}`)).toEqual([]);
  expect(await send(["a"], "192.0.2.11")).toBe(1);
  clock.nowMs += 500;
  expect(await send(["a"], "192.0.2.11")).toEqual([]);
});

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2", true],
  ["2001:db8::1", "2001:db8:0:0:1::", true],
  ["fe80::1%eth0", "fe80::2", true],
  ["::ffff:192.0.2.1", "192.0.2.1", true],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.2", false],
  ["2001:db8:1:2::1", "2001:db8:1:3::1", false],
  ["192.0.2.1", "192.0.2.2", false],
  ["any text", "another text", true],
])("GuessLimiter shares one budget between %s and %s: %s", async (one, other, isShared) => {
  const { send } = createLimiter();
  expect(await send(["a", "b", "c"], one)).toEqual([]);
  expect(await send(["d"], other)).toEqual(isShared ? 1 : []);
});

test("GuessLimiter refunds tokens whose lookup failed", async () => {
  const { limiter, send } = createLimiter();
  const fail = () => Promise.reject(new Error("The database is unavailable"));
  for (let count = 0; count < 20; count += 1) {
    await expect(limiter.run(ADDRESS, [`guess-${count}`], fail)).rejects.toThrow("unavailable");
  }
  expect(await send(["a", "b", "c"])).toEqual([]);
});
