import { expect, test } from "vitest";
import { FairShare } from "./fair-share.ts";

const claimAll = (share: FairShare, client: string, amount = 1): (() => void)[] => {
  const releases: (() => void)[] = [];
  for (;;) {
    const release = share.tryClaim(client, amount);
    if (release === undefined) return releases;
    releases.push(release);
  }
};

test("FairShare leaves capacity for other clients, and releases amounts that are no longer used", () => {
  const share = new FairShare(2000);
  const first = claimAll(share, "a");
  expect(first).toHaveLength(1000);
  const second = claimAll(share, "b");
  expect(second).toHaveLength(500);
  expect(share.used).toBe(1500);
  for (const release of [...first, ...second]) release();
  expect(share.used).toBe(0);
  expect(claimAll(share, "c", 100)).toHaveLength(10);
});

test("FairShare releases an amount once", () => {
  const share = new FairShare(10);
  const release = share.tryClaim("a", 3);
  share.tryClaim("a", 1);
  release?.();
  release?.();
  expect(share.used).toBe(1);
});

test("FairShare rejects more than half of what is free", () => {
  const share = new FairShare(10);
  expect(share.canClaim("a", 6)).toBe(false);
  expect(share.tryClaim("a", 6)).toBeUndefined();
  expect(share.used).toBe(0);
});
