import { expect, test } from "vitest";
import { DefinitionsFeed } from "./definitions-feed.ts";
import { FilteredFeeds } from "./filtered-feeds.ts";

const DEFINITIONS = {
  version: 2,
  features: [{ name: "a", project: "shop", description: "x".repeat(1000) }],
  segments: [],
};
const feedOf = (namePrefix: string): DefinitionsFeed =>
  new DefinitionsFeed({ projects: undefined, namePrefix }, DEFINITIONS);

test("a key can have streams with several filters, but leaves memory for other keys", () => {
  const [one, two] = [feedOf("a"), feedOf("a")];
  const feeds = new FilteredFeeds(3 * one.bytes);
  const releases = [feeds.tryAdd("greedy", one), feeds.tryAdd("greedy", one)];
  expect(releases).not.toContain(undefined);
  expect(feeds.tryAdd("greedy", two)).toBeUndefined();
  expect(feeds.tryAdd("other", two)).toBeTypeOf("function");

  // The memory of a feed is free when the last of its streams has ended.
  releases[0]?.();
  expect(feeds.tryAdd("greedy", feedOf("a"))).toBeUndefined();
  releases[1]?.();
  expect(feeds.tryAdd("greedy", two)).toBeTypeOf("function");
});

test("feeds without filters are not limited, and feeds without flags also have a cost", () => {
  const feeds = new FilteredFeeds(1);
  expect(feeds.tryAdd("key", feedOf(""))).toBeTypeOf("function");
  expect(feeds.tryAdd("key", feedOf("none of the flags"))).toBeUndefined();
});
