import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventSink } from "./failure-log.ts";
import { RetryingTask } from "./retrying-task.ts";
import type { RetryingTaskOptions } from "./retrying-task.ts";

let events: unknown[] = [];
const sink: EventSink = {
  error: (error) => events.push(error),
  warn: (message) => events.push(message),
  failure: (error) => events.push(error),
};

beforeEach(() => {
  vi.useFakeTimers();
  events = [];
});

afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

/** Starts a task that counts its attempts. */
function startTask(
  options: Partial<RetryingTaskOptions>,
  attempt: (count: number) => void,
): { task: RetryingTask; count: () => number } {
  let count = 0;
  const task = new RetryingTask({
    subject: "Testing",
    intervalMs: 1000,
    isRepeated: false,
    events: sink,
    attempt: async () => {
      count += 1;
      attempt(count);
    },
    ...options,
  });
  task.start();
  return { task, count: () => count };
}

describe("RetryingTask", () => {
  it("start() retries until the first success if it is not repeated", async () => {
    const { task, count } = startTask({}, (attempts) => {
      if (attempts < 3) throw new Error("not yet");
    });
    task.start();
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(count()).toBe(3);
  });

  it("start() continues after successes and failures if it is repeated", async () => {
    const { task, count } = startTask({ isRepeated: true }, (attempts) => {
      if (attempts % 2 === 0) throw new Error("every second time");
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(count()).toBeGreaterThan(8);
    await task.stop();
  });

  it("start() runs once if failures are not retried", async () => {
    const { count } = startTask({ isRetried: false }, () => {
      throw new Error("always");
    });
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(count()).toBe(1);
  });

  it("start() stops retrying once the task is not needed, without logging a recovery", async () => {
    let isNeeded = true;
    const { count } = startTask({ isNeeded: () => isNeeded }, () => {
      isNeeded = false;
      throw new Error("once");
    });
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(count()).toBe(1);
    expect(events).toHaveLength(2);
  });

  it("stop() aborts the current attempt without logging it", async () => {
    const { task } = startTask(
      {
        isRepeated: true,
        attempt: (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("aborted")));
          }),
      },
      () => undefined,
    );
    await task.stop();
    expect(events).toEqual([]);
  });
});
