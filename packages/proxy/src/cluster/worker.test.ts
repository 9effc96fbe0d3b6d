import { FlagReplica } from "flags-sdk";
import { expect, test } from "vitest";
import { createMetrics } from "../metrics/metrics.ts";
import type { ToPrimary, ToWorker } from "./messages.ts";
import { RemoteKeyVerifier } from "./remote-key-verifier.ts";
import { followPrimary, UsageForwarder } from "./worker.ts";

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
  const registration = {
    appName: "shop",
    instanceId: "one",
    sdkType: "backend",
    strategies: [],
    started: "2026-01-01T00:00:00.000Z",
    interval: 1000,
  } as const;
  const stored = forwarder.register(1, registration);
  expect(messages).toEqual([{ kind: "registration", source: 1, id: 1, registration }]);
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

test("a worker that cannot load flags keeps the previous ones, and continues to receive others", async () => {
  const sent: ToPrimary[] = [];
  const errors: unknown[] = [];
  const handlers = new Map<string, (message: ToWorker) => void>();
  const link = {
    send: async (message: ToPrimary): Promise<void> => void sent.push(message),
    handle: (added: object) => {
      for (const [kind, handler] of Object.entries(added)) handlers.set(kind, handler);
    },
  };
  const replica = new FlagReplica({
    strategies: [],
    reportUsage: async () => true,
    registerApplication: async () => {},
  });
  const metrics = createMetrics();
  metrics.registry.getMetricsAsJSON = () => Promise.reject(new Error("broken"));
  followPrimary(link, {
    replicas: [replica],
    failures: new Map(),
    forwarder: new UsageForwarder(link),
    metrics,
    verifier: new RemoteKeyVerifier(link),
    logger: { error: (message) => errors.push(message) },
  });
  const update = (revision: string, text: string): void =>
    handlers.get("flags")?.({ kind: "flags", source: 0, revision, text });
  update("1", "{");
  await expect.poll(() => sent).toEqual([{ kind: "loaded", source: 0, revision: "1" }]);
  update("2", '{"version":2,"features":[],"segments":[]}');
  await expect.poll(() => sent[1]).toEqual({ kind: "loaded", source: 0, revision: "2" });
  handlers.get("collect")?.({ kind: "collect" });
  await expect
    .poll(() => errors)
    .toEqual(["Cannot load new flags: the previous ones stay", "Cannot collect metrics"]);
});
