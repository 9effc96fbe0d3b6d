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

test("a feed that several clients share counts once, until the last of their streams has ended", () => {
  const feed = { bytes: 10 };
  const share = new FeedShare(20);
  const releases = Array.from({ length: 100 }, (_, index) => share.tryAdd(`client ${index}`, feed));
  expect(releases).not.toContain(undefined);

  for (const release of releases.slice(1)) release?.();
  expect(share.tryAdd("another", { bytes: 10 })).toBeUndefined();
  releases[0]?.();
  expect(share.tryAdd("another", { bytes: 10 })).toBeTypeOf("function");
});
