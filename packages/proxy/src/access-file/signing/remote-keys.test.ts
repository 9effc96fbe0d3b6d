import { exportJWK, generateKeyPair, type JWK } from "jose";
import { expect, test } from "vitest";
import { RemoteKeys } from "./remote-keys.ts";

const keyOf = async (kid: string): Promise<JWK> => {
  const { publicKey } = await generateKeyPair("ES256");
  return { ...(await exportJWK(publicKey)), kid };
};

/** A provider with keys that tests change, and the time. */
function createProvider(keys: JWK[]) {
  const state = {
    nowMs: 0,
    requests: 0,
    isDown: false,
    hangs: Promise.resolve(),
    results: [] as boolean[],
  };
  const remote = new RemoteKeys({
    url: new URL("https://login.example.com/jwks"),
    http: {
      send: async () => {
        state.requests += 1;
        await state.hangs;
        if (state.isDown) throw new Error("it is down");
        return { status: 200, headers: new Headers(), body: JSON.stringify({ keys }) };
      },
    },
    onResult: (error) => state.results.push(error === undefined),
    nowMs: () => state.nowMs,
  });
  const find = async (kid: string): Promise<string> => {
    try {
      await remote.find({ alg: "ES256", kid }, { payload: "", signature: "" });
      return "found";
    } catch (error) {
      return error instanceof Error && "statusCode" in error ? String(error.statusCode) : "unknown";
    }
  };
  return { state, find };
}

const SECOND = 1000;
const HOUR = 3_600_000;

test("a new key is found with one more request, and unknown keys cause at most one request in 30 s", async () => {
  const keys = [await keyOf("a")];
  const { state, find } = createProvider(keys);
  expect(await find("a")).toBe("found");
  keys.push(await keyOf("b"));
  expect(await find("b")).toBe("unknown");
  expect(state.requests).toBe(1);
  state.nowMs = 30 * SECOND;
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
  state.nowMs = 11 * 60 * SECOND;
  expect(await Promise.all([find("a"), find("b"), find("a")])).toEqual([
    "unknown",
    "found",
    "unknown",
  ]);
  expect(state.requests).toBe(2);
});

test("while the provider hangs, requests wait a second in total, and its response applies when it arrives", async () => {
  const keys = [await keyOf("a"), await keyOf("b")];
  const { state, find } = createProvider(keys);
  expect(await find("a")).toBe("found");
  keys.shift();
  state.nowMs = 11 * 60 * SECOND;
  let release = (): void => {};
  state.hangs = new Promise((resolve) => (release = resolve));
  const startMs = performance.now();
  for (let i = 0; i < 20; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await find("a")).toBe("found");
  }
  expect(performance.now() - startMs).toBeLessThan(10 * SECOND);
  release();
  await expect.poll(() => find("a")).toBe("unknown");
  expect(state.requests).toBe(2);
});

test("while the provider is down, known keys are used for a day, and its return is noticed", async () => {
  const { state, find } = createProvider([await keyOf("a")]);
  expect(await find("a")).toBe("found");
  state.isDown = true;
  state.nowMs = 23 * HOUR;
  expect(await find("a")).toBe("found");
  // The provider may have added this key.
  expect(await find("b")).toBe("503");
  state.nowMs = 25 * HOUR;
  expect(await find("a")).toBe("503");
  state.isDown = false;
  state.nowMs += 30 * SECOND;
  expect(await find("a")).toBe("found");
  expect(await find("b")).toBe("unknown");
  expect(state.results).toEqual([true, false, false, true]);
});

test("a provider that is down at first gets another request after five seconds", async () => {
  const { state, find } = createProvider([await keyOf("a")]);
  state.isDown = true;
  expect(await find("a")).toBe("503");
  state.isDown = false;
  state.nowMs = 4 * SECOND;
  expect(await find("a")).toBe("503");
  expect(state.requests).toBe(1);
  state.nowMs = 5 * SECOND;
  expect(await find("a")).toBe("found");
});
