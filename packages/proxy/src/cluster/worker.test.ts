import { expect, test } from "vitest";
import type { ToPrimary } from "./messages.ts";
import { UsageForwarder } from "./worker.ts";

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
