import { expect, test } from "vitest";
import { CoalescedTask } from "./coalesced-task.ts";

function createTask() {
  const runs: (() => void)[] = [];
  const task = new CoalescedTask(
    () =>
      new Promise((resolve) => {
        runs.push(resolve);
      }),
  );
  return { runs, task };
}

test("request() during a run causes exactly one more run", async () => {
  const { runs, task } = createTask();
  task.request();
  expect(runs).toHaveLength(1);
  for (let count = 0; count < 5; count++) task.request();
  expect(runs).toHaveLength(1);
  runs[0]?.();
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.();
  await new Promise(setImmediate);
  expect(runs).toHaveLength(2);
  task.request();
  expect(runs).toHaveLength(3);
});

test("request() runs again after a run that failed", async () => {
  let runs = 0;
  const task = new CoalescedTask(() => {
    runs += 1;
    return Promise.reject(new Error("no luck"));
  });
  task.request();
  await new Promise(setImmediate);
  task.request();
  expect(runs).toBe(2);
});
