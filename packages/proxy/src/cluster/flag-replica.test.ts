import { expect, test } from "vitest";
import { FlagReplica } from "./flag-replica.ts";

const NEVER = {
  lastFetchAtMs: undefined,
  lastUpdateAtMs: undefined,
  failure: undefined,
  revision: undefined,
  ageMs: undefined,
};

function toUpdate(revision: string, features: readonly object[]) {
  return { revision, text: JSON.stringify({ version: 2, features, segments: [] }) };
}

const ON = { name: "a", enabled: true, strategies: [{ name: "default" }] };

function createReplica(
  strategies: ConstructorParameters<typeof FlagReplica>[0]["strategies"] = [],
) {
  const events: string[] = [];
  const replica = new FlagReplica({
    strategies,
    reportUsage: async () => false,
    registerApplication: async () => {},
  });
  replica.on("changed", ({ revision }) => events.push(`changed to ${revision}`));
  replica.on("ready", () => events.push("ready"));
  replica.on("unchanged", () => events.push("unchanged"));
  replica.on("warn", (message) => events.push(message));
  replica.on("strategyError", ({ strategy }) => events.push(`failed: ${strategy}`));
  return { replica, events };
}

test("prepare() keeps the current flags, update() replaces them", async () => {
  const { replica, events } = createReplica();
  await replica.prepare(toUpdate("r1", [ON]));
  expect(replica.snapshot).toBeUndefined();
  expect(events).toEqual([]);

  replica.update({ ...NEVER, lastFetchAtMs: 2, lastUpdateAtMs: 1 }, "publish");
  await replica.prepare(toUpdate("r2", [ON, { ...ON, name: "b" }]));
  expect(replica.snapshot?.revision).toBe("r1");
  expect(replica.definitions).toEqual({ version: 2, features: [ON], segments: [] });
  expect([replica.lastFetchAtMs, replica.lastUpdateAtMs]).toEqual([2, 1]);

  replica.update(NEVER, "publish");
  expect(replica.snapshot?.revision).toBe("r2");
  expect(events).toEqual(["changed to r1", "ready", "changed to r2"]);
});

test("prepare() reuses the objects of unchanged flags", async () => {
  const { replica } = createReplica();
  await replica.prepare(toUpdate("r1", [ON]));
  replica.update(NEVER, "publish");
  const { definitions, snapshot } = replica;
  await replica.prepare(toUpdate("r2", [{ ...ON, name: "b" }, ON]));
  replica.update(NEVER, "publish");
  expect(replica.definitions?.features[1]).toBe(definitions?.features[0]);
  expect(replica.snapshot?.flags[1]).toBe(snapshot?.flags[0]);
});

test("flags that cannot be prepared leave the current ones", async () => {
  const { replica, events } = createReplica();
  await replica.prepare(toUpdate("r1", [ON]));
  replica.update(NEVER, "publish");
  await expect(replica.prepare({ revision: "r2", text: "{" })).rejects.toThrow();
  replica.update(NEVER, "publish");
  expect(replica.snapshot?.revision).toBe("r1");
  await replica.prepare(toUpdate("r3", [ON]));
  replica.update(NEVER, "publish");
  expect(events).toEqual(["changed to r1", "ready", "changed to r3"]);
});

test("the time of flags that are not published yet does not count for the current ones", async () => {
  const { replica } = createReplica();
  await replica.prepare(toUpdate("r1", [ON]));
  replica.update({ ...NEVER, revision: "r1", ageMs: 1000 }, "publish");
  const { confirmedAtMs } = replica;
  replica.update({ ...NEVER, revision: "r2", ageMs: 0 }, "unchanged");
  await replica.prepare(toUpdate("r2", [ON]));
  replica.update({ ...NEVER, revision: "r2", ageMs: 0 });
  expect(replica.confirmedAtMs).toBe(confirmedAtMs);
  replica.update({ ...NEVER, revision: "r2", ageMs: 0 }, "publish");
  expect(replica.confirmedAtMs).toBeGreaterThan(confirmedAtMs ?? Infinity);
});

test("update() of the current flags changes nothing", async () => {
  const { replica, events } = createReplica();
  for (let round = 0; round < 2; round += 1) {
    await replica.prepare(toUpdate("r1", [ON]));
    replica.update(NEVER, "publish");
  }
  expect(events).toEqual(["changed to r1", "ready"]);
});

test("update() sets the status and emits an event", () => {
  const { replica, events } = createReplica();
  const before = performance.now();
  replica.update(
    {
      lastFetchAtMs: 7,
      lastUpdateAtMs: 3,
      failure: { message: "is down", atMs: 5 },
      origin: "upstream",
      isLive: true,
      revision: undefined,
      ageMs: 100,
    },
    "unchanged",
  );
  expect([replica.lastFetchAtMs, replica.lastUpdateAtMs]).toEqual([7, 3]);
  expect([replica.origin, replica.isLive]).toEqual(["upstream", true]);
  expect(replica.failure).toEqual({ message: "is down", atMs: 5 });
  const confirmedAtMs = replica.confirmedAtMs ?? 0;
  expect(confirmedAtMs).toBeGreaterThanOrEqual(before - 100);
  expect(confirmedAtMs).toBeLessThanOrEqual(performance.now() - 100);
  expect(events).toEqual(["unchanged"]);
});

test("a failing custom strategy is logged once for each snapshot, and emits an event every time", async () => {
  const isEnabled = (): boolean => {
    throw new Error("broken");
  };
  const { replica, events } = createReplica([{ name: "mine", isEnabled }]);
  await replica.prepare(toUpdate("r1", [{ ...ON, strategies: [{ name: "mine" }] }]));
  replica.update(NEVER, "publish");
  events.length = 0;
  for (let round = 0; round < 2; round += 1) replica.snapshot?.evaluateAll({});
  expect(events).toEqual([
    "failed: mine",
    'Strategy "mine" of flag "a" failed and does not match: broken',
    "failed: mine",
  ]);
});

test("reportUsage() resolves to the result of the source", async () => {
  const reported: string[] = [];
  const replica = new FlagReplica({
    strategies: [],
    reportUsage: async ({ appName }) => reported.push(appName) === 1,
    registerApplication: async () => {},
  });
  const usage = { appName: "web", startMs: 0, features: {} };
  expect([await replica.reportUsage(usage), await replica.reportUsage(usage)]).toEqual([
    true,
    false,
  ]);
});
