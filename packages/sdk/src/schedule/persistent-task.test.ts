import { describe, expect, it } from "vitest";
import type { FaultSink } from "../events/fault-log.ts";
import { PersistentTask } from "./persistent-task.ts";

const silent: FaultSink = {
  error: () => undefined,
  warn: () => undefined,
  failure: () => undefined,
};

const base = { subject: "Testing", intervalMs: 1, faults: silent, random: Math.random };

/** A task that counts its attempts and resolves `done` at the last of those expected. */
function countingTask(
  options: { isRepeated: boolean; isRetried?: boolean },
  attempt: (count: number) => void,
): { task: PersistentTask; count: () => number } {
  let count = 0;
  const task = new PersistentTask({
    ...base,
    ...options,
    attempt: async () => {
      count += 1;
      attempt(count);
    },
  });
  return { task, count: () => count };
}

const rest = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 20);
  });

describe("PersistentTask", () => {
  it("start() attempts until there is a success, and then no more, when it is not repeated", async () => {
    const { task, count } = countingTask({ isRepeated: false }, (attempts) => {
      if (attempts < 3) throw new Error("not yet");
    });
    task.start();
    task.start();
    await expect.poll(count).toBe(3);
    await rest();
    expect(count()).toBe(3);
  });

  it("start() goes on after successes and failures when it is repeated", async () => {
    const { task, count } = countingTask({ isRepeated: true }, (attempts) => {
      if (attempts % 2 === 0) throw new Error("every other time");
    });
    task.start();
    await expect.poll(count).toBeGreaterThan(4);
    await task.stop();
  });

  it("start() attempts once when failures are not retried", async () => {
    const { task, count } = countingTask({ isRepeated: false, isRetried: false }, () => {
      throw new Error("never");
    });
    task.start();
    await rest();
    expect(count()).toBe(1);
  });

  it("stop() aborts the attempt under way, silently", async () => {
    const told: unknown[] = [];
    const task = new PersistentTask({
      ...base,
      isRepeated: true,
      faults: {
        error: (e) => told.push(e),
        warn: (w) => told.push(w),
        failure: (f) => told.push(f),
      },
      attempt: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    });
    task.start();
    await task.stop();
    expect(told).toEqual([]);
  });
});
