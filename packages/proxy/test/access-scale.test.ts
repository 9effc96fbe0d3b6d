// What many keys share. `npm run bench -- keys` measures what they cost.

import { expect, test } from "vitest";
import { RestrictedSources } from "../src/access/restricted-source.ts";
import { SAMPLE } from "./_documents.ts";
import { DocumentSource } from "./_source.ts";

const KEYS = 10_000;

test(`${KEYS} keys with equal restrictions share one restricted source`, () => {
  const restricted = new RestrictedSources();
  const source = new DocumentSource(SAMPLE);
  const first = restricted.get(source, { projects: ["a", "b"], namePrefix: "x" });
  for (let i = 0; i < KEYS; i++) {
    expect(restricted.get(source, { projects: ["b", "a", "a"], namePrefix: "x" })).toBe(first);
  }
  expect(restricted.get(source, { projects: ["b"], namePrefix: "x" })).not.toBe(first);
  expect(restricted.get(source, { projects: undefined, namePrefix: "" })).toBe(source);
});
