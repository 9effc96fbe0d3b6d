import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Loop } from "./loop.ts";

const unexpected = (error: unknown): never => {
  throw error;
};

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("Loop", () => {
  it("start() runs iterations, one at a time, until one returns no delay", async () => {
    let running = 0;
    let iterations = 0;
    const loop = new Loop(async () => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      iterations += 1;
      return iterations < 3 ? 1000 : undefined;
    }, unexpected);
    loop.start();
    loop.start();
    await vi.advanceTimersByTimeAsync(999);
    expect(iterations).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(iterations).toBe(3);
  });

  it("reports an iteration that rejects, and starts the next one after a minute", async () => {
    const errors: unknown[] = [];
    let iterations = 0;
    const loop = new Loop(
      async () => {
        iterations += 1;
        if (iterations === 1) throw new Error("unexpected");
        return undefined;
      },
      (error) => errors.push(error),
    );
    loop.start();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(iterations).toBe(1);
    expect(errors).toEqual([new Error("unexpected")]);
    await vi.advanceTimersByTimeAsync(1);
    expect(iterations).toBe(2);
    await loop.stop();
    expect(errors).toHaveLength(1);
  });

  it("stop() resolves even if the current iteration rejects", async () => {
    const errors: unknown[] = [];
    const loop = new Loop(
      () => Promise.reject(new Error("unexpected")),
      (error) => errors.push(error),
    );
    loop.start();
    await loop.stop();
    expect(errors).toEqual([new Error("unexpected")]);
  });

  it("wake() ends the delay early", async () => {
    let iterations = 0;
    const loop = new Loop(async () => {
      iterations += 1;
      return 1000;
    }, unexpected);
    loop.start(1000);
    loop.wake();
    expect(iterations).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(iterations).toBe(2);
    await loop.stop();
  });

  it("stop() waits for the current iteration and prevents another one", async () => {
    let finish: (() => void) | undefined;
    let iterations = 0;
    const loop = new Loop(async () => {
      iterations += 1;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return 0;
    }, unexpected);
    loop.start();
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(isStopped).toBe(false);
    finish?.();
    await stopped;
    loop.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(iterations).toBe(1);
  });

  it("stop() before the first iteration prevents it", async () => {
    let iterations = 0;
    const loop = new Loop(async () => {
      iterations += 1;
      return undefined;
    }, unexpected);
    loop.start(1);
    await loop.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(iterations).toBe(0);
  });
});
