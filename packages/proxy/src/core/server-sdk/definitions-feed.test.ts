import fc from "fast-check";
import { applyDelta, type FeaturesState } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import { describe, expect, test } from "vitest";
import { DefinitionsFeed } from "./definitions-feed.ts";
import { createFilter, type Restriction } from "../access/restriction.ts";

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
  projects: fc.constantFrom<string[] | undefined>(undefined, ["x"], ["x", "y"]),
  namePrefix: fc.constantFrom("", "p."),
});

/** The content of a state as JSON, in a fixed order. */
function contentOf(state: FeaturesState): readonly string[] {
  return [...state.features, ...state.segments].map((entry) => JSON.stringify(entry)).toSorted();
}

function selectedOf(
  { features: all, segments: known }: FeatureDefinitions,
  query: Restriction,
): FeaturesState {
  return {
    features: all.filter((feature) => createFilter(query)(feature as object)),
    segments: known,
  };
}

const NOTHING: FeaturesState = { features: [], segments: [] };

describe("DefinitionsFeed", () => {
  test("update() leads from every earlier state to the current one", () => {
    const histories = fc.array(documents, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(queries, histories, (query, history) => {
        const feed = new DefinitionsFeed(query, { version: 2, ...NOTHING });
        const known: { id: number | undefined; state: FeaturesState }[] = [
          { id: undefined, state: NOTHING },
          { id: feed.id, state: NOTHING },
        ];
        for (const document of history) {
          feed.advance(document);
          const current = selectedOf(document, query);
          for (const { id, state } of known) {
            const message = feed.update(id);
            const { events } = JSON.parse(message.text) as { readonly events: unknown };
            expect(contentOf(applyDelta(state, events))).toEqual(contentOf(current));
            expect(message.id).toBe(feed.id);
            if (id === feed.id) expect(message.size).toBe(0);
          }
          known.push({ id: feed.id, state: current });
        }
      }),
    );
  });

  test("equal content has equal ids, and different content different ids", () => {
    fc.assert(
      fc.property(queries, documents, documents, (query, one, other) => {
        const [content, otherContent] = [one, other].map((document) =>
          contentOf(selectedOf(document, query)).join(),
        );
        const { id } = new DefinitionsFeed(query, one);
        const shuffled = { ...one, features: one.features.toReversed() };
        expect(new DefinitionsFeed(query, shuffled).id).toBe(id);
        expect(new DefinitionsFeed(query, other).id === id).toBe(content === otherContent);
      }),
    );
  });

  test("ids fit into 32 bits, because SDKs based on Yggdrasil ignore messages with larger ones", () => {
    fc.assert(
      fc.property(queries, documents, (query, document) => {
        const { id } = new DefinitionsFeed(query, document);
        expect(id).toBe(id >>> 0);
      }),
    );
  });

  test("update() is the complete state if removals since then are no longer remembered", () => {
    const flags = Array.from({ length: 1500 }, (_, index) => ({ name: `flag-${index}` }));
    const documentOf = (from: number): FeatureDefinitions => ({
      version: 2,
      features: flags.slice(from),
      segments: [],
    });
    const feed = new DefinitionsFeed({ projects: undefined, namePrefix: "" }, documentOf(0));
    const early = feed.id;
    feed.advance(documentOf(600));
    const late = feed.id;
    feed.advance(documentOf(1500));
    expect(feed.update(early).text).toContain('"hydration"');
    expect(JSON.parse(feed.update(late).text)).toMatchObject({ events: { length: 900 } });
  });
});
