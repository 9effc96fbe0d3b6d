import fc from "fast-check";
import { applyDelta, type DeltaMessage, type FeaturesState } from "flags-engine";
import { describe, expect, test } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import { countTurns } from "../../test/_turns.ts";
import {
  selectFeatures,
  type EnvironmentState,
  type FeatureEntry,
  type SegmentEntry,
} from "./environment-state.ts";
import type { FeatureQuery } from "./feature-query.ts";
import { EnvironmentFeed, EnvironmentFeeds, MessageCache } from "./environment-feed.ts";

/** Flags by name: a description, and the id of a segment (0 for none). */
type Flags = Readonly<Record<string, { readonly text: string; readonly segment: number }>>;

const EVERYTHING: FeatureQuery = {
  environment: "development",
  projects: undefined,
  namePrefix: "",
  tags: [],
};

function toState(revision: number, flags: Flags, segmentText = ""): EnvironmentState {
  return {
    revision,
    features: Object.entries(flags)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, flag]) => toFeature(name, flag)),
    segments: new Map([1, 2].map((id) => [id, toSegment(id, segmentText)])),
  };
}

function toFeature(name: string, { text, segment }: Flags[string] & object): FeatureEntry {
  const strategy = { name: "default", constraints: [], parameters: {}, variants: [] };
  const feature: FeatureEntry["feature"] = {
    name,
    type: "release",
    enabled: true,
    project: name.startsWith("p") ? "p" : "default",
    stale: false,
    description: text,
    impressionData: false,
    variants: [],
    strategies: [segment === 0 ? strategy : { ...strategy, segments: [segment] }],
  };
  return {
    feature,
    text: JSON.stringify(feature),
    tags: new Set(),
    segmentIds: new Set(segment === 0 ? [] : [segment]),
  };
}

function createFeed(query: FeatureQuery, state: EnvironmentState): EnvironmentFeed {
  return new EnvironmentFeed(query, state, new MessageCache().forFeed());
}

function toSegment(id: number, name: string): SegmentEntry {
  const segment = { id, name, constraints: [] };
  return { segment, text: JSON.stringify(segment) };
}

const eventsOf = ({ text }: DeltaMessage): { eventId: number; type: string }[] =>
  (JSON.parse(text) as { events: { eventId: number; type: string }[] }).events;

/** Returns the state of an SDK after a message. */
function apply(state: FeaturesState, message: DeltaMessage): FeaturesState {
  return applyDelta(state, eventsOf(message));
}

function normalize({ features, segments }: FeaturesState) {
  const sort = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).toSorted();
  return { features: sort(features), segments: sort(segments) };
}

const flags: fc.Arbitrary<Flags> = fc.dictionary(
  fc.constantFrom("a", "b", "c", "pa", "pb"),
  fc.record({ text: fc.constantFrom("x", "y"), segment: fc.constantFrom(0, 1, 2) }),
);
const history = fc.array(fc.record({ flags, segmentText: fc.constantFrom("s", "t") }), {
  minLength: 1,
  maxLength: 12,
});

test.each([
  ["everything", EVERYTHING],
  ["a project", { ...EVERYTHING, projects: ["p"] }],
  ["a prefix", { ...EVERYTHING, namePrefix: "p" }],
])("update() leads from every revision to the current state of %s", (_, query) => {
  fc.assert(
    fc.property(history, (steps) => {
      const states = steps.map((step, index) => toState(10 * index, step.flags, step.segmentText));
      const [first, ...later] = states;
      if (first === undefined) return;
      const feed = createFeed(query, first);
      const sdks = [{ revision: feed.id, state: apply(NOTHING, feed.update(undefined)) }];
      for (const state of later) {
        feed.advance(state);
        sdks.push({ revision: feed.id, state: apply(NOTHING, feed.update(undefined)) });
      }
      const last = selectFeatures(states.at(-1) ?? first, query);
      const expected = normalize({
        features: last.features.map(({ feature }) => feature),
        segments: last.segments.map(({ segment }) => segment),
      });
      const updated = sdks.map(({ revision, state }) => {
        const message = feed.update(revision);
        return { id: message.id, ...normalize(apply(state, message)) };
      });
      expect(updated).toEqual(sdks.map(() => ({ id: feed.id, ...expected })));
    }),
    { numRuns: fuzzRuns(50, 100) },
  );
});

const NOTHING: FeaturesState = { features: [], segments: [] };

test("update() sends segments before the flags that require them, and removes them after", () => {
  const feed = createFeed(EVERYTHING, toState(1, {}));
  feed.advance(toState(2, { a: { text: "x", segment: 1 }, b: { text: "x", segment: 2 } }));
  expect(eventsOf(feed.update(1)).map(({ type }) => type)).toEqual([
    "segment-updated",
    "segment-updated",
    "feature-updated",
    "feature-updated",
  ]);
  feed.advance(toState(3, {}));
  expect(eventsOf(feed.update(2)).map(({ type }) => type)).toEqual([
    "feature-removed",
    "feature-removed",
    "segment-removed",
    "segment-removed",
  ]);
});

test("update() is a hydration for revisions that are too old or do not exist yet", () => {
  const feed = createFeed(EVERYTHING, toState(5, { a: { text: "x", segment: 0 } }));
  for (const revision of [4, 6]) {
    expect(eventsOf(feed.update(revision))).toMatchObject([{ type: "hydration", eventId: 5 }]);
  }
  expect(feed.update(5)).toMatchObject({ size: 0, id: 5 });
});

test("update() is a hydration for revisions that the feed has not had", () => {
  const feed = createFeed(EVERYTHING, toState(5, { a: { text: "x", segment: 0 } }));
  feed.advance(toState(100, { a: { text: "y", segment: 0 } }));
  feed.advance(toState(105, { a: { text: "y", segment: 0 } }));
  // At 102, the flag could have been different.
  for (const revision of [6, 99, 102]) {
    expect(eventsOf(feed.update(revision))).toMatchObject([{ type: "hydration", eventId: 105 }]);
  }
  expect(eventsOf(feed.update(5))).toMatchObject([{ type: "feature-updated" }]);
  expect(feed.update(100)).toMatchObject({ size: 0, id: 105 });
});

test("update() recognizes the latest 1,000 revisions, even if they changed nothing", () => {
  const flags = { a: { text: "x", segment: 0 } };
  const feed = createFeed(EVERYTHING, toState(1, flags));
  const { bytes } = feed;
  for (let revision = 2; revision <= 1001; revision++) feed.advance(toState(revision, flags));
  expect(eventsOf(feed.update(1))).toMatchObject([{ type: "hydration" }]);
  expect(feed.update(2).size).toBe(0);
  expect(feed.bytes - bytes).toBe(999 * 8);
});

test("update() is a hydration if removals since then are no longer remembered", () => {
  const many = Object.fromEntries(
    Array.from({ length: 1001 }, (_, index) => [`f${index}`, { text: "x", segment: 0 }]),
  );
  const feed = createFeed(EVERYTHING, toState(1, many));
  feed.advance(toState(2, {}));
  expect(eventsOf(feed.update(1))).toMatchObject([{ type: "hydration", features: [] }]);
  expect(feed.update(2).size).toBe(0);
});

test("advance() ignores a state that is older than the current one", () => {
  const feed = createFeed(EVERYTHING, toState(5, { a: { text: "x", segment: 0 } }));
  feed.advance(toState(4, {}));
  expect(feed.id).toBe(5);
  expect(feed.update(5).size).toBe(0);
});

const OPEN = { destroyed: false };

describe("EnvironmentFeeds", () => {
  const state = toState(1, { a: { text: "x", segment: 0 } });
  const createFeeds = () => new EnvironmentFeeds({ current: async () => state });

  test("current() returns one feed for equal queries", async () => {
    const feeds = createFeeds();
    const feed = await feeds.current(EVERYTHING, OPEN);
    expect(await feeds.current({ ...EVERYTHING }, OPEN)).toBe(feed);
    expect(await feeds.current({ ...EVERYTHING, namePrefix: "a" }, OPEN)).not.toBe(feed);
  });

  test("no feed is created for a client that has disconnected", async () => {
    const feeds = createFeeds();
    const requested = feeds.current(EVERYTHING, { destroyed: true });
    await expect(requested).rejects.toThrow("The client has disconnected");
  });

  test("other requests run between the creation of two feeds", async () => {
    const feeds = createFeeds();
    const get = (namePrefix: string) => () => feeds.current({ ...EVERYTHING, namePrefix }, OPEN);
    expect(await countTurns(["a", "b", "c", "d"].map(get))).toBe(4);
    // Feeds that are up to date do not wait for each other.
    expect(await countTurns(["a", "b", "c", "d"].map(get))).toBe(1);
  });

  test.each([
    ["long queries", 5000, "x".repeat(15_000)],
    ["queries that select nothing", 50_000, "x"],
  ])("%s do not use more and more memory", async (_, count, prefix) => {
    const feeds = createFeeds();
    const first = await feeds.current(EVERYTHING, OPEN);
    for (let index = 0; index < count; index++) {
      await feeds.current({ ...EVERYTHING, namePrefix: `${prefix}${index}` }, OPEN);
    }
    expect(await feeds.current(EVERYTHING, OPEN)).not.toBe(first);
  });

  test("all feeds together cache a limited number of characters", async () => {
    const large = toState(1, { a: { text: "x".repeat(1_000_000), segment: 0 } });
    const feeds = new EnvironmentFeeds({ current: async () => large });
    const first = await feeds.current(EVERYTHING, OPEN);
    const message = first.update(undefined);
    expect(first.update(undefined)).toBe(message);
    for (let index = 0; index < 100; index++) {
      const feed = await feeds.current({ ...EVERYTHING, projects: ["default", `p${index}`] }, OPEN);
      expect(feed.update(undefined).text).toBe(message.text);
    }
    expect(first.update(undefined)).not.toBe(message);
  });
});
