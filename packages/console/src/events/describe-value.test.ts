import { expect, test } from "vitest";
import { describePath, describeValue } from "./describe-value.ts";

test("describes values in one line", () => {
  expect(describeValue(true)).toBe("yes");
  expect(describeValue(null)).toBe("nothing");
  expect(describeValue(25)).toBe("25");
  expect(describeValue(["DK", "SE"])).toBe("DK, SE");
  expect(
    describeValue({ contextName: "plan", operator: "IN", values: ["pro"], inverted: false }),
  ).toBe("context name: plan, operator: IN, values: pro");
});

test("abbreviates long lists and strings", () => {
  const ids = Array.from({ length: 5000 }, (_, index) => `user-${index}`);
  expect(describeValue(ids)).toBe("user-0, user-1, user-2, user-3, user-4, user-5 and 4,994 more");
  expect(describeValue("x".repeat(1000))).toHaveLength(300);
});

test("names fields in words, and keeps other names", () => {
  expect(describePath(["impressionData"])).toBe("impression data");
  expect(describePath(["constraints", "my-field", "caseInsensitive"])).toBe(
    "constraints › my-field › case insensitive",
  );
});
