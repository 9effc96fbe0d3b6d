import { describe, expect, it } from "vitest";
import { Loop } from "./loop.ts";

describe("Loop", () => {
  it("start() runs rounds until one gives no delay, never two at a time", async () => {
    let running = 0;
    let rounds = 0;
    await new Promise<void>((resolve) => {
      const loop = new Loop(async () => {
        running += 1;
        expect(running).toBe(1);
        await Promise.resolve();
        running -= 1;
        rounds += 1;
        if (rounds < 3) return 1;
        resolve();
        return undefined;
      });
      loop.start();
      loop.start();
    });
    expect(rounds).toBe(3);
  });

  it("stop() waits for the round under way and begins no other", async () => {
    let finish: (() => void) | undefined;
    let rounds = 0;
    const loop = new Loop(async () => {
      rounds += 1;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return 0;
    });
    loop.start();
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    await Promise.resolve();
    expect(isStopped).toBe(false);
    finish?.();
    await stopped;
    loop.start();
    expect(rounds).toBe(1);
  });

  it("stop() before the first round means that there is none", async () => {
    let rounds = 0;
    const loop = new Loop(async () => {
      rounds += 1;
      return undefined;
    });
    loop.start(1);
    await loop.stop();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(rounds).toBe(0);
  });
});
