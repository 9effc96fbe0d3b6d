import { expect, test } from "vitest";
import type { ToPrimary, ToWorker } from "./messages.ts";
import { UsageForwarder, UsageReceiver } from "./usage-forwarding.ts";

const REGISTRATION = {
  appName: "shop",
  instanceId: "one",
  sdkType: "backend",
  strategies: [],
  started: "2026-01-01T00:00:00.000Z",
  interval: 1000,
} as const;

const toUsage = (appName: string) => ({ appName, startMs: 1, features: { a: { yes: 1, no: 0 } } });

test("report() forwards usage and resolves to the decision on that report", async () => {
  const messages: ToPrimary[] = [];
  const forwarder = new UsageForwarder({
    send: async (message) => {
      messages.push(message);
    },
  });
  const decisions = ["a", "b"].map((appName) => forwarder.report(1, toUsage(appName)));
  expect(messages).toEqual([
    { kind: "usage", source: 1, id: 1, text: JSON.stringify(toUsage("a")) },
    { kind: "usage", source: 1, id: 2, text: JSON.stringify(toUsage("b")) },
  ]);
  forwarder.onDecision({ kind: "decision", id: 2, isAccepted: false });
  forwarder.onDecision({ kind: "decision", id: 1, isAccepted: true });
  expect(await Promise.all(decisions)).toEqual([true, false]);
});

test("report() resolves to false, and sends nothing, if too much usage of a quota is waiting", async () => {
  const messages: ToPrimary[] = [];
  const forwarder = new UsageForwarder({
    send: async (message) => {
      messages.push(message);
    },
  });
  const long = (quotaId: string) => ({ ...toUsage("x".repeat(6_000_000)), quotaId });
  const waiting = forwarder.report(0, long("a"));
  expect(await forwarder.report(0, long("a"))).toBe(false);
  const other = forwarder.report(0, { ...toUsage("b"), quotaId: "b" });
  expect(messages).toHaveLength(2);
  for (const id of [1, 2]) forwarder.onDecision({ kind: "decision", id, isAccepted: true });
  expect(await Promise.all([waiting, other])).toEqual([true, true]);
  const again = forwarder.report(0, long("a"));
  forwarder.onDecision({ kind: "decision", id: 3, isAccepted: true });
  expect(await again).toBe(true);
});

test("register() resolves when the primary process has stored the registration", async () => {
  const messages: ToPrimary[] = [];
  const forwarder = new UsageForwarder({
    send: async (message) => {
      messages.push(message);
    },
  });
  const stored = forwarder.register(1, REGISTRATION);
  expect(messages).toEqual([
    { kind: "registration", source: 1, id: 1, registration: REGISTRATION },
  ]);
  forwarder.onDecision({ kind: "decision", id: 1, isAccepted: true });
  await stored;
});

test("register() drops registrations of a quota that has too many waiting", async () => {
  const messages: ToPrimary[] = [];
  const send = async (message: ToPrimary): Promise<void> => void messages.push(message);
  const forwarder = new UsageForwarder({ send });
  const registration = {
    appName: "shop",
    instanceId: "x".repeat(5 * 1024 * 1024),
    sdkType: "backend",
    strategies: [],
    started: "2026-01-01T00:00:00.000Z",
    interval: 1000,
    quotaId: "one",
  } as const;
  void forwarder.register(0, registration);
  await forwarder.register(0, registration);
  expect(messages).toHaveLength(1);
  void forwarder.register(0, { ...registration, quotaId: "two" });
  expect(messages).toHaveLength(2);
});

test("an error of a source is logged, and the worker is notified that nothing was accepted", async () => {
  const errors: unknown[] = [];
  const sent: ToWorker[] = [];
  const worker = { name: "Worker 1", send: (message: ToWorker) => void sent.push(message) };
  const fail = (): never => {
    throw new Error("broken");
  };
  const receiver = new UsageReceiver([{ reportUsage: fail, registerApplication: fail }], {
    error: (...details) => errors.push(details),
  });
  await receiver.accept(worker, { kind: "usage", source: 0, id: 1, text: "{}" });
  await receiver.accept(worker, {
    kind: "registration",
    source: 0,
    id: 2,
    registration: REGISTRATION,
  });
  expect(sent).toEqual([
    { kind: "decision", id: 1, isAccepted: false },
    { kind: "decision", id: 2, isAccepted: false },
  ]);
  const logged = ["Cannot accept usage or a registration of Worker 1", new Error("broken")];
  expect(errors).toEqual([logged, logged]);
});
