import { expect, test } from "vitest";
import { toRequestContext } from "./request-context.ts";

test("sends standard fields and properties without empty values", () => {
  expect(toRequestContext({ userId: "7", sessionId: "", country: "DK", plan: "" })).toEqual({
    userId: "7",
    properties: { country: "DK" },
  });
});
