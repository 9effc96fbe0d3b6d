import { afterEach, describe, expect, it, vi } from "vitest";
import { Deadline } from "./deadline.ts";

const never = new Promise<never>(() => undefined);

afterEach(() => {
  vi.useRealTimers();
});

describe("Deadline", () => {
  it("race() rejects and isExpired is true after the time limit", async () => {
    const deadline = new Deadline(new AbortController().signal, 5);
    await expect(deadline.race(never)).rejects.toThrow("within 5 ms");
    expect(deadline.isExpired).toBe(true);
  });

  it("race() rejects and isExpired is false if the parent is aborted", async () => {
    const parent = new AbortController();
    const deadline = new Deadline(parent.signal, 60_000);
    const race = deadline.race(never);
    parent.abort(new Error("closing"));
    await expect(race).rejects.toThrow("closing");
    expect(deadline.isExpired).toBe(false);
    deadline.clear();
  });

  it("signal is aborted from the start if the parent already was", async () => {
    const deadline = new Deadline(AbortSignal.abort(new Error("gone")), 60_000);
    expect(deadline.signal.aborted).toBe(true);
    await expect(deadline.race(never)).rejects.toThrow("gone");
    deadline.clear();
  });

  it("race() resolves to the result of work that completes in time", async () => {
    const deadline = new Deadline(new AbortController().signal, 60_000);
    await expect(deadline.race(Promise.resolve(7))).resolves.toBe(7);
    deadline.clear();
  });

  it("renew() replaces the time limit with a limit on silence", async () => {
    vi.useFakeTimers();
    const deadline = new Deadline(new AbortController().signal, 100);
    for (let count = 0; count < 5; count += 1) {
      await vi.advanceTimersByTimeAsync(90);
      deadline.renew(200);
    }
    await vi.advanceTimersByTimeAsync(199);
    expect(deadline.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(deadline.isExpired).toBe(true);
    expect(deadline.signal.reason).toEqual(new Error("Nothing received for 200 ms"));
  });
});
