import { expect, test } from "vitest";
import { stringifyDefinitions } from "./stringify-definitions.ts";

test.each([
  { version: 2, features: [], segments: [] },
  {
    version: 1,
    features: [{ name: 'ä"\n', list: [1, null] }, { name: "b" }],
    segments: [{ id: 1 }],
  },
])("stringifyDefinitions() writes what JSON.stringify() writes: %j", async (definitions) => {
  expect(await stringifyDefinitions(definitions)).toBe(JSON.stringify(definitions));
});

test("stringifyDefinitions() lets other events be processed", async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const features = Array.from({ length: 20_000 }, (_, id) => ({
    name: `flag-${id}`,
    list: Array(50).fill(id),
  }));
  await stringifyDefinitions({ version: 2, features, segments: [] });
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});
