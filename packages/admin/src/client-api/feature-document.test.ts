import { expect, test } from "vitest";
import { countTurns } from "../../test/_turns.ts";
import type { EnvironmentState, FeatureEntry } from "./environment-state.ts";
import { DocumentCache } from "./feature-document.ts";

const REQUEST = {
  environment: "development",
  projects: undefined,
  namePrefix: "",
  tags: [],
  inlineSegments: false,
};

function createState(description: string): EnvironmentState {
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
    revision: 1,
    features: [{ ...entry, segmentIds: new Set() }],
    segments: new Map(),
  };
}

const OPEN = { destroyed: false };

test("DocumentCache returns one document for equal requests to a state", async () => {
  const documents = new DocumentCache();
  const state = createState("one");
  const document = await documents.get(state, REQUEST, OPEN);
  expect(await documents.get(state, { ...REQUEST }, OPEN)).toBe(document);
  const other = await documents.get(state, { ...REQUEST, namePrefix: "b" }, OPEN);
  expect(other.text).not.toContain("one");
  const restored = createState("two");
  expect((await documents.get(restored, REQUEST, OPEN)).text).toContain("two");
});

test("DocumentCache lets other requests run between two documents", async () => {
  const documents = new DocumentCache();
  const state = createState("one");
  const get = (namePrefix: string) => () => documents.get(state, { ...REQUEST, namePrefix }, OPEN);
  expect(await countTurns(["", "a", "b", "c"].map(get))).toBe(4);
});

test("DocumentCache writes one document for equal requests at the same time", async () => {
  const documents = new DocumentCache();
  const state = createState("one");
  const requested = [REQUEST, REQUEST].map((request) => documents.get(state, request, OPEN));
  const [first, second] = await Promise.all(requested);
  expect(first).toBe(second);
});

test("DocumentCache writes nothing for a client that has disconnected", async () => {
  const documents = new DocumentCache();
  const state = createState("one");
  const connection = { destroyed: false };
  const requested = documents.get(state, REQUEST, connection);
  connection.destroyed = true;
  await expect(requested).rejects.toThrow("The client has disconnected");
});

test("the documents of all states share one limit", async () => {
  const documents = new DocumentCache();
  const states = Array.from({ length: 50 }, () => createState("x".repeat(1_000_000)));
  const [document] = await Promise.all(states.map((state) => documents.get(state, REQUEST, OPEN)));
  expect(states[0] && (await documents.get(states[0], REQUEST, OPEN))).not.toBe(document);
});
