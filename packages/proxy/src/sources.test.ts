import { expect, test } from "vitest";
import { describeSources } from "./sources.ts";

test("describeSources() numbers sources of the same environment", () => {
  const tokens = ["a:production.x", "legacy", "b:production.y", "c:test.z"];
  const names = describeSources({ upstreamTokens: tokens, files: undefined }).map(
    ({ name }) => name,
  );
  expect(names).toEqual(["production", "default", "production-2", "test"]);
});

test("describeSources() gives each source its own name, even if an environment is called production-2", () => {
  const tokens = ["a:production.x", "b:production.y", "*:production-2.z", "c:production.w"];
  const names = describeSources({ upstreamTokens: tokens, files: undefined }).map(
    ({ name }) => name,
  );
  expect(names).toEqual(["production", "production-3", "production-2", "production-4"]);
});
