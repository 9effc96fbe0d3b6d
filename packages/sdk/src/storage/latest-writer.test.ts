import { describe, expect, it } from "vitest";
import { LatestWriter } from "./latest-writer.ts";

describe("LatestWriter", () => {
  it("write() writes one at a time and skips what was overtaken", async () => {
    const written: number[] = [];
    let writing = 0;
    const writer = new LatestWriter<number>(
      async (value) => {
        writing += 1;
        expect(writing).toBe(1);
        await new Promise(setImmediate);
        written.push(value);
        writing -= 1;
      },
      () => expect.unreachable(),
    );
    for (const value of [1, 2, 3, 4]) writer.write(value);
    await writer.settled();
    expect(written).toEqual([1, 4]);
  });

  it("write() reports a fault and writes the next value", async () => {
    const faults: unknown[] = [];
    const written: number[] = [];
    const writer = new LatestWriter<number>(
      async (value) => {
        if (value === 1) throw new Error("disk full");
        written.push(value);
      },
      (cause) => faults.push(cause),
    );
    writer.write(1);
    await writer.settled();
    writer.write(2);
    await writer.settled();
    expect(written).toEqual([2]);
    expect(faults).toEqual([new Error("disk full")]);
  });

  it("settled() resolves at once when nothing was written", async () => {
    await expect(
      new LatestWriter(
        async () => undefined,
        () => undefined,
      ).settled(),
    ).resolves.toBe(undefined);
  });
});
