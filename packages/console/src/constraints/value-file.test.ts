import { expect, test } from "vitest";
import { columnChoices, readValueFile, valuesOf } from "./value-file.ts";

const toFile = (text: string, name = "customers.csv"): File => new File([text], name);

test("reads a column of a CSV file, whose first row is a heading", async () => {
  const file = await readValueFile(toFile("\uFEFFname,id\nAnna,7\nBen,8\nAnna,7\n"));
  expect(columnChoices(file)).toEqual([
    { id: "0", label: "name" },
    { id: "1", label: "id" },
  ]);
  expect(valuesOf({ ...file, column: 1 })).toEqual(["7", "8"]);
});

test("reads a file with one value per line, which has no heading unless somebody says so", async () => {
  const file = await readValueFile(toFile("id\n7\n8\n"));
  expect(valuesOf(file)).toEqual(["id", "7", "8"]);
  expect(valuesOf({ ...file, hasHeading: true })).toEqual(["7", "8"]);
  expect(columnChoices(file)).toEqual([{ id: "0", label: "Column 1" }]);
});

test.each([
  ["a spreadsheet", "PK\u0003\u0004\0\0", "book.xlsx is not a CSV file in UTF-8. Export it as one"],
  ["an empty file", "\n \n", "book.xlsx contains no values"],
  [
    "a file that is too large",
    "x".repeat(20_000_001),
    "book.xlsx has more than 20 MB. Choose a file with fewer columns or rows",
  ],
])("rejects %s", async (_name, text, message) => {
  await expect(readValueFile(toFile(text, "book.xlsx"))).rejects.toThrow(message);
});
