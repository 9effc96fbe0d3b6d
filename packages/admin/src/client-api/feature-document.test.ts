import { expect, test } from "vitest";
import type { EnvironmentState, FeatureEntry } from "./environment-state.ts";
import { DocumentCache } from "./feature-document.ts";

const REQUEST = {
  environment: "development",
  projects: undefined,
  namePrefix: "",
  tags: [],
  inlineSegments: false,
};

function createState(environment: string, description: string): EnvironmentState {
  const feature: FeatureEntry["feature"] = {
    name: "a",
    type: "release",
    enabled: true,
    project: "default",
    stale: false,
    description,
    impressionData: false,
    variants: [],
    strategies: [],
  };
  const entry = { feature, text: JSON.stringify(feature), tags: new Set<string>() };
  return {
    environment,
    revision: 1,
    features: [{ ...entry, segmentIds: new Set() }],
    segments: new Map(),
  };
}

test("DocumentCache returns one document for equal requests to a state", () => {
  const documents = new DocumentCache();
  const state = createState("development", "one");
  const document = documents.get(state, REQUEST);
  expect(documents.get(state, { ...REQUEST })).toBe(document);
  expect(documents.get(state, { ...REQUEST, namePrefix: "b" }).text).not.toContain("one");
  const restored = createState("development", "two");
  expect(documents.get(restored, REQUEST).text).toContain("two");
});

test("the documents of all states share one limit", () => {
  const documents = new DocumentCache();
  const states = Array.from({ length: 50 }, (_, index) =>
    createState(`e${index}`, "x".repeat(1_000_000)),
  );
  const [document] = states.map((state) => documents.get(state, REQUEST));
  expect(states[0] && documents.get(states[0], REQUEST)).not.toBe(document);
});
