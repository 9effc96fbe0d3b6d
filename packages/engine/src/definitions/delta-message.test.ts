import { expect, test } from "vitest";
import { parseEventId } from "./delta-message.ts";

test.each([
  ["7", 7],
  ['"7"', 7],
  ['W/"7"', 7],
  [' w/"7" ', 7],
  ["999999999999999", 999_999_999_999_999],
  ["1000000000000000", undefined],
  ['"7", "8"', undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["*", undefined],
  ["", undefined],
  [undefined, undefined],
])("parseEventId() parses %j as %j", (text, id) => {
  expect(parseEventId(text)).toBe(id);
});
