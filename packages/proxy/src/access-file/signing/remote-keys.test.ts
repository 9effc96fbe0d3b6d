import { exportJWK, generateKeyPair, type JWK } from "jose";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryLogger } from "../../../test/_proxy.ts";
import { createRemoteKeys } from "./remote-keys.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"], now: 0 }));
afterEach(() => void vi.useRealTimers());

const keyOf = async (kid: string): Promise<JWK> => {
  const { publicKey } = await generateKeyPair("ES256");
  return { ...(await exportJWK(publicKey)), kid };
};

/** A provider with keys that tests change. */
function createProvider(keys: JWK[]) {
  const state = { requests: 0, problem: "", isHanging: false, logger: new MemoryLogger() };
  const http = {
    send: async () => {
      state.requests += 1;
      if (state.isHanging) await new Promise(() => {});
      if (state.problem !== "") throw new Error(state.problem);
      return { status: 200, headers: new Headers(), body: JSON.stringify({ keys }) };
    },
  };
  const url = new URL("https://login.example.com/jwks");
  const findKey = createRemoteKeys(url, http, state.logger);
  const find = async (kid: string): Promise<string> => {
    try {
      await findKey({ alg: "ES256", kid }, { payload: "", signature: "" });
      return "found";
    } catch (error) {
      return error instanceof Error && "statusCode" in error ? String(error.statusCode) : "unknown";
    }
  };
  return { state, find };
}

const setTime = (timeMs: number): void => void vi.advanceTimersByTime(timeMs - Date.now());
const SECOND = 1000;
const HOUR = 3_600_000;

test("a new key is found with one more request, and unknown keys cause at most one request in 30 s", async () => {
  const keys = [await keyOf("a")];
  const { state, find } = createProvider(keys);
  expect(await find("a")).toBe("found");
  keys.push(await keyOf("b"));
  expect(await find("b")).toBe("unknown");
  expect(state.requests).toBe(1);
  setTime(30 * SECOND);
  expect(await Promise.all([find("b"), find("b"), find("c")])).toEqual([
    "found",
    "found",
    "unknown",
  ]);
  expect(state.requests).toBe(2);
  for (let i = 0; i < 100; i++) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await find(`random-${i}`)).toBe("unknown");
  }
  expect(state.requests).toBe(2);
});

test("after ten minutes, the keys are read again before one is accepted", async () => {
  const keys = [await keyOf("a"), await keyOf("b")];
  const { state, find } = createProvider(keys);
  expect(await find("a")).toBe("found");
  keys.shift();
  setTime(11 * 60 * SECOND);
  expect(await Promise.all([find("a"), find("b"), find("a")])).toEqual([
    "unknown",
    "found",
    "unknown",
  ]);
  expect(state.requests).toBe(2);
});

test("keys that are removed are not accepted longer because the clock is set back", async () => {
  const keys = [await keyOf("a"), await keyOf("b")];
  const { find } = createProvider(keys);
  expect(await find("a")).toBe("found");
  keys.shift();
  setTime(11 * 60 * SECOND);
  vi.setSystemTime(-HOUR);
  expect(await find("a")).toBe("unknown");
});

test("a provider that does not respond delays tokens with known keys only briefly", async () => {
  const { state, find } = createProvider([await keyOf("a")]);
  expect(await find("a")).toBe("found");
  state.isHanging = true;
  setTime(11 * 60 * SECOND);
  expect(await find("a")).toBe("found");
});

test("while the provider is down, known keys are used for a day, and its return is noticed", async () => {
  const { state, find } = createProvider([await keyOf("a")]);
  expect(await find("a")).toBe("found");
  state.problem = "it is down";
  setTime(23 * HOUR);
  expect(await find("a")).toBe("found");
  // The provider may have added this key.
  expect(await find("b")).toBe("503");
  setTime(25 * HOUR);
  expect(await find("a")).toBe("503");
  state.problem = "";
  setTime(25 * HOUR + 30 * SECOND);
  expect(await find("a")).toBe("found");
  expect(await find("b")).toBe("unknown");
  const subject = "the keys for signed contexts from https://login.example.com/jwks";
  expect(state.logger.lines.map(({ level, parts }) => `${level}: ${String(parts[0])}`)).toEqual([
    `error: Cannot read ${subject}: it is down`,
    `warn: Read ${subject} again`,
  ]);
});

test("a provider that is down at first gets another request after five seconds", async () => {
  const { state, find } = createProvider([await keyOf("a")]);
  state.problem = "it is down";
  expect(await find("a")).toBe("503");
  state.problem = "";
  setTime(4 * SECOND);
  expect(await find("a")).toBe("503");
  expect(state.requests).toBe(1);
  setTime(5 * SECOND);
  expect(await find("a")).toBe("found");
});
