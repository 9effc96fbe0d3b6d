import type { Steps } from "flags-engine";
import { describe, expect, test } from "vitest";
import { SlicedWork } from "./sliced-work.ts";

/** Has each step in a slice of its own. */
const STEP_BY_STEP = 0;

function* noting(log: string[], name: string, steps = 3): Steps<string> {
  for (let step = 1; step <= steps; step += 1) {
    log.push(`${name}${step}`);
    yield;
  }
  return name;
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("SlicedWork", () => {
  test("run() does what fits into one slice at once", async () => {
    const log: string[] = [];
    const result = new SlicedWork(60_000).run(noting(log, "a"));
    expect(log).toEqual(["a1", "a2", "a3"]);
    expect(await result).toBe("a");
  });

  test("run() lets others have their turn between two slices", async () => {
    const log: string[] = [];
    const result = new SlicedWork(STEP_BY_STEP).run(noting(log, "a"));
    expect(log).toEqual(["a1"]);
    await turnOfTheLoop();
    expect(log.length).toBeLessThan(3);
    expect(await result).toBe("a");
  });

  test("run() ends a slice when its time is over", async () => {
    const log: string[] = [];
    function* slow(): Steps<void> {
      for (const step of noting(log, "a", 10)) {
        const endMs = performance.now() + 2;
        while (performance.now() < endMs);
        yield step;
      }
    }
    const result = new SlicedWork().run(slow());
    expect(log.length).toBeLessThan(10);
    await result;
    expect(log).toHaveLength(10);
  });

  test("run() does pieces of work one after the other, in the order in which they came", async () => {
    const log: string[] = [];
    const work = new SlicedWork(STEP_BY_STEP);
    const names = ["a", "b", "c"];
    const results = await Promise.all(names.map((name) => work.run(noting(log, name, 2))));
    expect(results).toEqual(names);
    expect(log).toEqual(["a1", "a2", "b1", "b2", "c1", "c2"]);
  });

  test("run() does not begin the second piece of work from within the first", async () => {
    const log: string[] = [];
    const work = new SlicedWork();
    let second: Promise<string> | undefined;
    function* first(): Steps<void> {
      second = work.run(noting(log, "b", 1));
      log.push("a");
      yield;
    }
    await work.run(first());
    expect(log).toEqual(["a"]);
    await second;
    expect(log).toEqual(["a", "b1"]);
  });

  test("run() rejects with what a step throws, and goes on with the next piece of work", async () => {
    const log: string[] = [];
    const work = new SlicedWork(STEP_BY_STEP);
    function* broken(): Steps<void> {
      yield;
      throw new Error("broken");
    }
    const results = await Promise.allSettled([work.run(broken()), work.run(noting(log, "b"))]);
    expect(results).toMatchObject([{ reason: new Error("broken") }, { value: "b" }]);
  });

  test("run() rejects and does no further step once the signal is aborted", async () => {
    const log: string[] = [];
    const abort = new AbortController();
    const result = new SlicedWork(STEP_BY_STEP).run(noting(log, "a"), abort.signal);
    abort.abort();
    await expect(result).rejects.toBe(abort.signal.reason);
    expect(log).toEqual(["a1"]);
  });

  test("run() lets who waited for one piece of work call off the next", async () => {
    const log: string[] = [];
    const work = new SlicedWork();
    const abort = new AbortController();
    const called = async (): Promise<void> => {
      await work.run(noting(log, "a"));
      abort.abort();
    };
    const results = await Promise.allSettled([called(), work.run(noting(log, "b"), abort.signal)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(log).toEqual(["a1", "a2", "a3"]);
  });
});
