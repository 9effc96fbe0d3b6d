import fc from "fast-check";
import { applyDelta, type FeaturesState } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import { describe, expect, test } from "vitest";
import { DefinitionsFeed } from "./definitions-feed.ts";
import { isSelected } from "./select-definitions.ts";

const names = fc.constantFrom("a", "b", "c", "p.a", "p.b", "__proto__");
const features = fc.uniqueArray(
  fc.record({
    name: names,
    enabled: fc.boolean(),
    project: fc.constantFrom("x", "y", undefined),
  }),
  { selector: ({ name }) => name, maxLength: 6 },
);
const segments = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom<number | string>(1, 2, "1", 10),
    name: fc.constantFrom("s", "t"),
  }),
  { selector: ({ id }) => `${typeof id} ${id}`, maxLength: 4 },
);
const documents = fc
  .record({ version: fc.constant(2), features, segments })
  .map((document) => JSON.parse(JSON.stringify(document)) as FeatureDefinitions);
const queries = fc.record({
  projects: fc.constantFrom<string[]>([], ["x"], ["x", "y"]),
  namePrefix: fc.constantFrom("", "p."),
});

/** What an SDK has, as JSON in one order. */
function contentOf(state: FeaturesState): readonly string[] {
  return [...state.features, ...state.segments].map((entry) => JSON.stringify(entry)).toSorted();
}

const NOTHING: FeaturesState = { features: [], segments: [] };

describe("DefinitionsFeed", () => {
  test("brings whoever had any earlier state to the present one", () => {
    fc.assert(
      fc.property(
        queries,
        fc.array(documents, { minLength: 1, maxLength: 8 }),
        (query, history) => {
          const [first = { version: 2, features: [], segments: [] }, ...rest] = history;
          const feed = new DefinitionsFeed(query, first);
          const readers: { id: number | undefined; state: FeaturesState }[] = [];
          for (const document of [first, ...rest]) {
            feed.advance(document);
            const chosen = document.features.filter((feature) => isSelected(feature, query));
            const present = contentOf({ features: chosen, segments: document.segments });
            readers.push({ id: undefined, state: NOTHING });
            // The first reader follows each change, the next ones have more and more to catch up.
            for (const { id, state } of readers) {
              const message = feed.update(id);
              const { events } = JSON.parse(message.text) as { events: unknown[] };
              expect(contentOf(applyDelta(state, events))).toEqual(present);
              expect(message.id).toBe(feed.id);
              if (id === feed.id) expect(message.size).toBe(0);
            }
            const follower = readers[0];
            const latest = JSON.parse(feed.update(undefined).text) as { events: unknown[] };
            const state = applyDelta(NOTHING, latest.events);
            readers.splice(1, 0, { id: feed.id, state });
            if (follower !== undefined) readers[0] = { id: feed.id, state };
          }
        },
      ),
    );
  });

  test("names equal content with one id and different content with different ones", () => {
    fc.assert(
      fc.property(queries, documents, documents, (query, one, other) => {
        const present = [one, other].map((document) =>
          contentOf({
            features: document.features.filter((feature) => isSelected(feature, query)),
            segments: document.segments,
          }).join(),
        );
        const shuffled = { ...one, features: one.features.toReversed() };
        const id = new DefinitionsFeed(query, one).id;
        expect(new DefinitionsFeed(query, shuffled).id).toBe(id);
        expect(new DefinitionsFeed(query, other).id === id).toBe(present[0] === present[1]);
      }),
    );
  });

  test("forgets what went away long ago, and brings everything then", () => {
    const flags = Array.from({ length: 1500 }, (_, index) => ({ name: `flag-${index}` }));
    const documentOf = (from: number): FeatureDefinitions => ({
      version: 2,
      features: flags.slice(from),
      segments: [],
    });
    const feed = new DefinitionsFeed({ projects: [], namePrefix: "" }, documentOf(0));
    const [early, late] = [feed.id, 600].map((at, index) => {
      if (index === 1) feed.advance(documentOf(at));
      return feed.id;
    });
    feed.advance(documentOf(1500));
    expect(feed.update(early).text).toContain('"hydration"');
    expect(JSON.parse(feed.update(late).text)).toMatchObject({ events: { length: 900 } });
  });
});
