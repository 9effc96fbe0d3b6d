import { expect, test } from "vitest";
import { describeSources } from "./sources.ts";

test("describeSources() numbers sources of the same environment", () => {
  const tokens = ["a:production.x", "legacy", "b:production.y", "c:test.z"];
  const names = describeSources({ upstreamTokens: tokens, files: undefined }).map(
    ({ name }) => name,
  );
  expect(names).toEqual(["production", "default", "production-2", "test"]);
});
