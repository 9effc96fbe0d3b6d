import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Queue } from "./time-slice.ts";

test("Queue runs tasks one at a time, even after one that fails, and skips those of disconnected clients", async () => {
  const queue = new Queue();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} starts`);
    await setImmediate();
    log.push(`${name} ends`);
    if (name === "b") throw new Error("failed");
    return name;
  };
  const here = { destroyed: false };
  const gone = { destroyed: false };
  const results = Promise.allSettled([
    queue.run(here, task("a")),
    queue.run(here, task("b")),
    queue.run(gone, task("c")),
    queue.run(here, task("d")),
  ]);
  gone.destroyed = true;
  const [a, b, c, d] = await results;
  expect(log).toEqual(["a", "b", "d"].flatMap((name) => [`${name} starts`, `${name} ends`]));
  expect([a, d]).toMatchObject([{ value: "a" }, { value: "d" }]);
  expect(b).toMatchObject({ reason: { message: "failed" } });
  expect(c).toMatchObject({ reason: { name: "RequestTimeoutError" } });
});
