import { expect, test } from "vitest";
import { BulkSupport } from "./bulk-support.ts";
import { UsageDrops } from "./usage-drops.ts";
import { UsageReporter } from "./usage-reporter.ts";
import { UsageStore } from "./usage-store.ts";

const once = { yes: 1, no: 0 };

test("UsageReporter warns once per interval of usage that was not counted, however often it sends", async () => {
  let nowMs = 0;
  let rounds = 0;
  const told: string[] = [];
  const store = new UsageStore({ now: () => nowMs });
  const overflow = (): void => store.count("x".repeat(256), "f", once);
  const reporter = new UsageReporter({
    api: {
      sendMetrics: async () => {
        rounds += 1;
        store.count("app", "f", once);
      },
      sendBulk: async () => {},
    },
    bulk: new BulkSupport(undefined, () => nowMs),
    sendSupplements: async () => {},
    drops: new UsageDrops(() => {}),
    store,
    identity: { appName: "app", instanceId: "i", connectionId: "c" },
    intervalMs: 5,
    jitterMs: 0,
    faults: { error: () => {}, failure: () => {}, warn: (message) => told.push(message) },
    onSent: overflow,
    now: () => nowMs,
    random: () => 0,
  });
  store.count("app", "f", once);
  reporter.start();
  await expect.poll(() => rounds).toBeGreaterThan(3);
  expect(told).toEqual(["Too much usage is waiting, evaluations not counted: 1"]);
  nowMs = 5;
  await expect.poll(() => told.length).toBe(2);
  await reporter.close();
  expect(told[1]).toMatch(/^Too much usage is waiting, evaluations not counted: \d+$/);
});
