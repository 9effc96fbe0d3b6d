import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { WriteGate } from "./write-gate.ts";

/** Work that ends when it is told to. */
function createWork() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

test("a holder waits for writes in progress, and later writes wait for the holder", async () => {
  const gate = new WriteGate();
  const log: string[] = [];
  const record = (name: string, work: { run: () => Promise<void> }) => async () => {
    log.push(`${name} begins`);
    await work.run();
    log.push(`${name} ends`);
  };
  const [first, holder, second, later] = [createWork(), createWork(), createWork(), createWork()];
  const all = [
    gate.write(record("first write", first)),
    gate.hold(record("first holder", holder)),
    gate.write(record("later write", later)),
    gate.hold(record("second holder", second)),
  ];
  await setImmediate();
  expect(log).toEqual(["first write begins"]);
  first.end();
  await setImmediate();
  expect(log.slice(1)).toEqual(["first write ends", "first holder begins"]);
  holder.end();
  later.end();
  second.end();
  await Promise.all(all);
  expect(log.slice(3)).toEqual([
    "first holder ends",
    "later write begins",
    "later write ends",
    "second holder begins",
    "second holder ends",
  ]);
});

test("failures of writes and holders leave the gate open", async () => {
  const gate = new WriteGate();
  const fail = async (): Promise<never> => {
    throw new Error("failed");
  };
  const [write, hold] = await Promise.allSettled([gate.write(fail), gate.hold(fail)]);
  expect([write.status, hold.status]).toEqual(["rejected", "rejected"]);
  expect(await gate.write(async () => "written")).toBe("written");
});
