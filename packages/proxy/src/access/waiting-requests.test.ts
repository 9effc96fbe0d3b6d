import { expect, test } from "vitest";
import { WaitingRequests } from "./waiting-requests.ts";

test("WaitingRequests leaves capacity for other addresses, and releases what ends", () => {
  const waiting = new WaitingRequests();
  const enterAll = (address: string): (() => void)[] => {
    const releases: (() => void)[] = [];
    for (;;) {
      const release = waiting.enter(address);
      if (release === undefined) return releases;
      releases.push(release);
    }
  };
  const first = enterAll("10.0.0.1");
  expect(first).toHaveLength(1000);
  const second = enterAll("10.0.0.2");
  expect(second).toHaveLength(500);
  for (const release of [...first, ...second]) release();
  expect(waiting.count).toBe(0);
  expect(enterAll("10.0.0.3")).toHaveLength(1000);
});
