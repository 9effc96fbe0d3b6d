import { expect, test } from "vitest";
import { columnOf, parseTable } from "./parse-table.ts";

test("reads quotes, delimiters and line breaks within quotes, and doubled quotes", () => {
  const text = 'id,name\r\n7,"Smith, Anna"\r\n8,"Ben ""B"" Lee"\r\n9,"two\nlines"\r\n';
  expect(parseTable(text)).toEqual([
    ["id", "name"],
    ["7", "Smith, Anna"],
    ["8", 'Ben "B" Lee'],
    ["9", "two\nlines"],
  ]);
});

test.each([
  ["semicolons", "id;mail\n7;a@b.example"],
  ["tabs", "id\tmail\n7\ta@b.example"],
  ["carriage returns", "id,mail\r7,a@b.example"],
  ["spaces around values", " id , mail \n 7 , a@b.example "],
])("reads files with %s", (_name, text) => {
  expect(parseTable(text)).toEqual([
    ["id", "mail"],
    ["7", "a@b.example"],
  ]);
});

test("leaves out rows without text, and keeps a quote in the middle of a value", () => {
  expect(parseTable('\n,\n5" pipe\n\n')).toEqual([['5" pipe']]);
  expect(parseTable("")).toEqual([]);
});

test("a column has each value once, and not the cells that are empty or missing", () => {
  const rows = [["1", "a"], ["2"], ["3", ""], ["4", "a"], ["5", "b"]];
  expect(columnOf(rows, 1)).toEqual(["a", "b"]);
});
