import { expect, test } from "vitest";
import type { PrimaryLink } from "./primary-link.ts";
import { createForwarding } from "./usage-forwarding.ts";

const REGISTRATION = {
  appName: "shop",
  instanceId: "one",
  sdkType: "backend",
  strategies: [],
  started: "2026-01-01T00:00:00.000Z",
  interval: 1000,
} as const;

const toUsage = (appName: string) => ({ appName, startMs: 1, features: { a: { yes: 1, no: 0 } } });

function create() {
  const calls: { readonly args: unknown; readonly reply: (result: unknown) => void }[] = [];
  const call = (...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve) => calls.push({ args, reply: resolve }));
  return { calls, forwardingOf: createForwarding({ call: call as PrimaryLink["call"] }) };
}

test("usage is forwarded to its source, and the result is that of this report", async () => {
  const { calls, forwardingOf } = create();
  const { reportUsage } = forwardingOf(1);
  const results = ["a", "b", "c"].map(async (appName) => reportUsage(toUsage(appName)));
  expect(calls.map(({ args }) => args)).toEqual(
    ["a", "b", "c"].map((appName) => ["reportUsage", 1, JSON.stringify(toUsage(appName))]),
  );
  calls[1]?.reply(false);
  calls[0]?.reply(true);
  // The primary process has failed.
  calls[2]?.reply(undefined);
  expect(await Promise.all(results)).toEqual([true, false, false]);
});

test("usage is refused, and not sent, if too much of its quota is waiting", async () => {
  const { calls, forwardingOf } = create();
  const { reportUsage } = forwardingOf(0);
  const long = { ...toUsage("x".repeat(6_000_000)), quotaId: "a" };
  const waiting = reportUsage(long);
  expect(await forwardingOf(1).reportUsage(long)).toBe(false);
  const other = reportUsage({ ...toUsage("b"), quotaId: "b" });
  expect(calls).toHaveLength(2);
  for (const { reply } of calls) reply(true);
  expect(await Promise.all([waiting, other])).toEqual([true, true]);
  const again = reportUsage(long);
  calls[2]?.reply(true);
  expect(await again).toBe(true);
});

test("a registration is forwarded, and resolves when the primary process has stored it", async () => {
  const { calls, forwardingOf } = create();
  const stored = forwardingOf(1).registerApplication(REGISTRATION);
  expect(calls[0]?.args).toEqual(["registerApplication", 1, JSON.stringify(REGISTRATION)]);
  calls[0]?.reply(undefined);
  await stored;
});

test("registrations of a quota that has too many waiting are dropped", async () => {
  const { calls, forwardingOf } = create();
  const { registerApplication } = forwardingOf(0);
  const registration = { ...REGISTRATION, instanceId: "x".repeat(5 * 1024 * 1024) };
  void registerApplication({ ...registration, quotaId: "one" });
  await registerApplication({ ...registration, quotaId: "one" });
  expect(calls).toHaveLength(1);
  void registerApplication({ ...registration, quotaId: "two" });
  expect(calls).toHaveLength(2);
});
