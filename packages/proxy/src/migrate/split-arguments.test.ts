import { expect, test } from "vitest";
import { EXPLAIN } from "../cli/explain/explain.ts";
import { splitArguments } from "./split-arguments.ts";

test.each([
  ["explain edge", "explain edge", ""],
  ["explain edge --json", "explain edge --json", ""],
  ["explain --context {} edge", "explain --context {} edge", ""],
  ["explain flag edge", "explain flag", "edge"],
  ["explain edge --upstream-url u", "explain", "edge --upstream-url u"],
  ["explain flag edge --upstream-url u", "explain flag", "edge --upstream-url u"],
  ["explain --json edge --upstream-url u", "explain --json", "edge --upstream-url u"],
  ["explain --context {} flag", "explain --context {} flag", ""],
])("separates %j from a command line of Edge", (line, own, others) => {
  expect(splitArguments(line.split(" "), [EXPLAIN])).toEqual({
    own: own.split(" "),
    others: others.split(" ").filter(Boolean),
  });
});
