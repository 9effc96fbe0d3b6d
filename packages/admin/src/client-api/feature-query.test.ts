import { expect, test } from "vitest";
import { readFeatureQuery } from "./feature-query.ts";

const ALL = { type: "backend", environment: "e", projects: ["*"] } as const;
const TWO = { ...ALL, projects: ["b", "a"] } as const;

test.each([
  [ALL, {}, undefined],
  [ALL, { project: "a" }, ["a"]],
  [ALL, { project: ["b", "a", "b"] }, ["a", "b"]],
  [ALL, { project: ["a", "*"] }, undefined],
  [TWO, {}, ["a", "b"]],
  [TWO, { project: "*" }, ["a", "b"]],
  [TWO, { project: "a" }, ["a"]],
  [TWO, { project: ["a", "c"] }, ["a"]],
  [TWO, { project: "c" }, []],
  [{ ...ALL, projects: [] }, {}, []],
] as const)(
  "readFeatureQuery() for token %j and filters %j selects projects %j",
  (token, sent, projects) => {
    expect(readFeatureQuery(token, sent).projects).toEqual(projects);
  },
);

test("readFeatureQuery() returns the same JSON for equal queries", () => {
  const one = readFeatureQuery(ALL, { tag: ["b:1", "a:1", "b:1"], project: ["y", "x"] });
  const other = readFeatureQuery(ALL, { project: ["x", "y"], tag: ["a:1", "b:1"], namePrefix: "" });
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
});
