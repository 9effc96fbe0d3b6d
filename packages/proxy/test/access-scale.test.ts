// What many keys share. `npm run bench -- keys` measures what they cost.

import { expect, test } from "vitest";
import { Visibility } from "../src/core/access/visible-flags.ts";
import { toSource } from "../src/sources/sources.ts";
import { SAMPLE } from "./_documents.ts";
import { DocumentSource } from "./_source.ts";

const KEYS = 10_000;

test(`${KEYS} keys with equal restrictions share the flags that they see`, () => {
  const visibility = new Visibility();
  const source = toSource(new DocumentSource(SAMPLE));
  const first = visibility.get(source, { projects: ["a", "b"], namePrefix: "x" });
  for (let i = 0; i < KEYS; i++) {
    expect(visibility.get(source, { projects: ["b", "a", "a"], namePrefix: "x" })).toBe(first);
  }
  expect(visibility.get(source, { projects: ["b"], namePrefix: "x" })).not.toBe(first);
  expect(visibility.get(source)).toMatchObject({ areAll: true });
});
