import { expect, test } from "vitest";
import { FeedShare } from "./feed-share.ts";

test("a client can have several feeds, but leaves memory for other clients", () => {
  const [one, two] = [{ bytes: 10 }, { bytes: 10 }];
  const share = new FeedShare(30);
  const releases = [share.tryAdd("greedy", one), share.tryAdd("greedy", one)];
  expect(releases).not.toContain(undefined);
  expect(share.tryAdd("greedy", two)).toBeUndefined();
  expect(share.tryAdd("other", two)).toBeTypeOf("function");

  // The memory of a feed is free when the last of its streams has ended.
  releases[0]?.();
  expect(share.tryAdd("greedy", { bytes: 10 })).toBeUndefined();
  releases[1]?.();
  expect(share.tryAdd("greedy", two)).toBeTypeOf("function");
});
