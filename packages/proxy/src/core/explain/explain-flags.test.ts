import { compileSnapshot, parseDocument } from "flags-engine";
import { expect, test } from "vitest";
import { explainFlags } from "./explain-flags.ts";

const EMPTY = compileSnapshot(parseDocument({ features: [] }), { now: () => 0, random: () => 0 });

test.each<[readonly string[] | undefined, string]>([
  [
    ["FLAGS_TAGS"],
    "The proxy loads only flags that match FLAGS_TAGS, and none of them has this name",
  ],
  [["FLAGS_PROJECT_NAME", "FLAGS_TAGS"], "that match FLAGS_PROJECT_NAME and FLAGS_TAGS, and none"],
  [[], "check its spelling, and the environment and projects of the key."],
  [undefined, "and the filters FLAGS_PROJECT_NAME, FLAGS_NAME_PREFIX and FLAGS_TAGS."],
])("explainFlags() of an unknown name with the filters %j", async (filters, text) => {
  const [unknown] = await explainFlags(EMPTY, ["unknown"], { properties: {} }, filters);
  expect(unknown).toMatchObject({ enabled: false, reason: "FLAG_NOT_FOUND" });
  expect(unknown?.explanation).toContain(text);
});
