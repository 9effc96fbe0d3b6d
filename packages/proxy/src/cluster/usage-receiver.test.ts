import { expect, test } from "vitest";
import type { ToWorker } from "./messages.ts";
import { UsageReceiver } from "./usage-receiver.ts";

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
  const registration = {
    appName: "shop",
    instanceId: "one",
    sdkType: "backend",
    strategies: [],
    started: "2026-01-01T00:00:00.000Z",
    interval: 1000,
  } as const;
  await receiver.accept(worker, { kind: "usage", source: 0, id: 1, text: "{}" });
  await receiver.accept(worker, { kind: "registration", source: 0, id: 2, registration });
  expect(sent).toEqual([
    { kind: "decision", id: 1, isAccepted: false },
    { kind: "decision", id: 2, isAccepted: false },
  ]);
  const logged = ["Cannot accept usage or a registration of Worker 1", new Error("broken")];
  expect(errors).toEqual([logged, logged]);
});
