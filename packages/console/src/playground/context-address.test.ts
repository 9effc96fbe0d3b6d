import { expect, test } from "vitest";
import { parseContextSearch } from "./context-address.ts";

test("ignores everything in a URL that is not a string", () => {
  const context = { userId: "7", plan: 3, list: ["a"], country: "DK" };
  expect(parseContextSearch({ context, in: ["production", 5], tab: "explain" })).toEqual({
    context: { userId: "7", country: "DK" },
    in: ["production"],
  });
  for (const wrong of [undefined, null, "text", ["a"], 5]) {
    expect(parseContextSearch({ context: wrong, in: wrong })).toEqual(
      Array.isArray(wrong) ? { in: ["a"] } : {},
    );
  }
});
