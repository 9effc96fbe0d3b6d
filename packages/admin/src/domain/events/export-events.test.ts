import { expect, test } from "vitest";
import { toCell } from "./export-events.ts";

test.each([
  ["checkout", '"checkout"'],
  ["", '""'],
  ['say "hi", twice\n', '"say ""hi"", twice\n"'],
  ["=1+1", `"'=1+1"`],
  ["+1", `"'+1"`],
  ["-1", `"'-1"`],
  ["@SUM(A1)", `"'@SUM(A1)"`],
  [" =1", `"' =1"`],
  ["\t=1", `"'\t=1"`],
  ["\uFF1D1", `"'\uFF1D1"`],
  ["\r1", `"'\r1"`],
  ["a=1", '"a=1"'],
  ['{"a":"=1"}', '"{""a"":""=1""}"'],
])("toCell() of %j is %s, which no spreadsheet evaluates", (text, cell) => {
  expect(toCell(text)).toBe(cell);
});
