import { expect, test } from "vitest";
import { FeedShare } from "./feed-share.ts";

test("a client can have several feeds, but leaves memory for other clients", () => {
  const [one, two] = [{ bytes: 10 }, { bytes: 10 }];
  const share = new FeedShare(30);
  share.add("greedy", one);
  expect(share.canAdd("greedy", one)).toBe(true);
  share.add("greedy", one);
  expect(share.canAdd("greedy", two)).toBe(false);
  expect(share.canAdd("greedy", { bytes: 0 })).toBe(true);
  expect(share.canAdd("other", two)).toBe(true);

  // The memory of a feed is free when the last of its streams has ended.
  share.remove(one);
  expect(share.canAdd("greedy", two)).toBe(false);
  share.remove(one);
  expect(share.canAdd("greedy", two)).toBe(true);
});

test("a feed that several clients share counts once, until the last of their streams has ended", () => {
  const feed = { bytes: 10 };
  const share = new FeedShare(20);
  for (let index = 0; index < 100; index += 1) {
    expect(share.canAdd(`client ${index}`, feed)).toBe(true);
    share.add(`client ${index}`, feed);
  }
  for (let index = 0; index < 99; index += 1) share.remove(feed);
  share.add("other", { bytes: 5 });
  expect(share.canAdd("another", { bytes: 10 })).toBe(false);
  share.remove(feed);
  expect(share.canAdd("another", { bytes: 7 })).toBe(true);
});
