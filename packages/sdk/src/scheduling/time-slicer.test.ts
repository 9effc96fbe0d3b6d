import type { Steps } from "flags-engine";
import { describe, expect, test } from "vitest";
import { TimeSlicer } from "./time-slicer.ts";

/** Ends each slice after one step. */
const SINGLE_STEP = 0;

function* logSteps(log: string[], name: string, steps = 3): Steps<string> {
  for (let step = 1; step <= steps; step += 1) {
    log.push(`${name}${step}`);
    yield;
  }
  return name;
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("TimeSlicer", () => {
  test("run() completes a job synchronously if it fits into one slice", async () => {
    const log: string[] = [];
    const result = new TimeSlicer(60_000).run(logSteps(log, "a"));
    expect(log).toEqual(["a1", "a2", "a3"]);
    expect(await result).toBe("a");
  });

  test("run() yields to the event loop between slices", async () => {
    const log: string[] = [];
    const result = new TimeSlicer(SINGLE_STEP).run(logSteps(log, "a"));
    expect(log).toEqual(["a1"]);
    await nextTick();
    expect(log.length).toBeLessThan(3);
    expect(await result).toBe("a");
  });

  test("run() ends a slice after its maximum duration", async () => {
    const log: string[] = [];
    function* slow(): Steps<void> {
      for (const step of logSteps(log, "a", 10)) {
        const endMs = performance.now() + 2;
        while (performance.now() < endMs);
        yield step;
      }
    }
    const result = new TimeSlicer().run(slow());
    expect(log.length).toBeLessThan(10);
    await result;
    expect(log).toHaveLength(10);
  });

  test("run() runs jobs one after the other, in the order in which they were added", async () => {
    const log: string[] = [];
    const slicer = new TimeSlicer(SINGLE_STEP);
    const names = ["a", "b", "c"];
    const results = await Promise.all(names.map((name) => slicer.run(logSteps(log, name, 2))));
    expect(results).toEqual(names);
    expect(log).toEqual(["a1", "a2", "b1", "b2", "c1", "c2"]);
  });

  test("run() does not start a second job from within the first one", async () => {
    const log: string[] = [];
    const slicer = new TimeSlicer();
    let second: Promise<string> | undefined;
    function* first(): Steps<void> {
      second = slicer.run(logSteps(log, "b", 1));
      log.push("a");
      yield;
    }
    await slicer.run(first());
    expect(log).toEqual(["a"]);
    await second;
    expect(log).toEqual(["a", "b1"]);
  });

  test("run() rejects with the error of a step, and continues with the next job", async () => {
    const log: string[] = [];
    const slicer = new TimeSlicer(SINGLE_STEP);
    function* broken(): Steps<void> {
      yield;
      throw new Error("broken");
    }
    const results = await Promise.allSettled([
      slicer.run(broken()),
      slicer.run(logSteps(log, "b")),
    ]);
    expect(results).toMatchObject([{ reason: new Error("broken") }, { value: "b" }]);
  });

  test("run() rejects and stops once the signal is aborted", async () => {
    const log: string[] = [];
    const abort = new AbortController();
    const result = new TimeSlicer(SINGLE_STEP).run(logSteps(log, "a"), abort.signal);
    abort.abort();
    await expect(result).rejects.toBe(abort.signal.reason);
    expect(log).toEqual(["a1"]);
  });

  test("run() lets the caller abort the next job when its own job is done", async () => {
    const log: string[] = [];
    const slicer = new TimeSlicer();
    const abort = new AbortController();
    const runFirst = async (): Promise<void> => {
      await slicer.run(logSteps(log, "a"));
      abort.abort();
    };
    const results = await Promise.allSettled([
      runFirst(),
      slicer.run(logSteps(log, "b"), abort.signal),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(log).toEqual(["a1", "a2", "a3"]);
  });
});
