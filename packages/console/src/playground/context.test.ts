import { expect, test } from "vitest";
import type { Strategy } from "../api/types.ts";
import { fieldsOfFlag, parseContextSearch, toRequestContext } from "./context.ts";

test("leaves out whatever in an address is not a string", () => {
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

test("sends standard fields and properties without empty values", () => {
  expect(toRequestContext({ userId: "7", sessionId: "", country: "DK", plan: "" })).toEqual({
    userId: "7",
    properties: { country: "DK" },
  });
});

test("the fields of a flag are those that its strategies read", () => {
  const strategies = ["userWithId", "constructor"].map((name): Strategy => ({
    id: name,
    name,
    title: null,
    disabled: false,
    parameters: { stickiness: "companyId" },
    constraints: [],
    segments: [],
    variants: [],
    sortOrder: 0,
  }));
  expect(fieldsOfFlag({ environments: [{ strategies }] }, [])).toEqual(["userId", "companyId"]);
});
