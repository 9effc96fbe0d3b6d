import { describe, expect, it } from "vitest";
import { Deadline } from "./deadline.ts";

const never = new Promise<never>(() => undefined);

describe("Deadline", () => {
  it("race() rejects and isExpired is true when the time runs out", async () => {
    const deadline = new Deadline(new AbortController().signal, 5);
    await expect(deadline.race(never)).rejects.toThrow("within 5 ms");
    expect(deadline.isExpired).toBe(true);
  });

  it("race() rejects and isExpired is false when the parent is aborted", async () => {
    const parent = new AbortController();
    const deadline = new Deadline(parent.signal, 60_000);
    const race = deadline.race(never);
    parent.abort(new Error("closing"));
    await expect(race).rejects.toThrow("closing");
    expect(deadline.isExpired).toBe(false);
    deadline.clear();
  });

  it("signal is aborted at once when the parent was aborted before", async () => {
    const deadline = new Deadline(AbortSignal.abort(new Error("gone")), 60_000);
    expect(deadline.signal.aborted).toBe(true);
    await expect(deadline.race(never)).rejects.toThrow("gone");
    deadline.clear();
  });

  it("race() gives the result of work done in time", async () => {
    const deadline = new Deadline(new AbortController().signal, 60_000);
    await expect(deadline.race(Promise.resolve(7))).resolves.toBe(7);
    deadline.clear();
  });
});
