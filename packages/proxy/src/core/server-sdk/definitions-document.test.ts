import { expect, test } from "vitest";
import { createDefinitionsReader } from "./definitions-document.ts";

const DEFINITIONS = { version: 2, features: [], segments: [] };
const requestOf = (namePrefix: string) => ({
  inlineSegments: false,
  projects: undefined,
  namePrefix,
});

test("documents with long filters are cached only up to a limit, even if no flag matches them", () => {
  const read = createDefinitionsReader();
  const first = read(DEFINITIONS, requestOf("first"));
  expect(read(DEFINITIONS, requestOf("first"))).toBe(first);
  for (let index = 0; index < 4400; index++) {
    read(DEFINITIONS, requestOf(`${index}`.padEnd(16_000, "x")));
  }
  expect(read(DEFINITIONS, requestOf("first"))).not.toBe(first);
});
