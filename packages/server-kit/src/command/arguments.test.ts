import { expect, test } from "vitest";
import { parseArguments } from "./arguments.ts";

test.each([
  [[], { kind: "run" }],
  [["--help"], { kind: "help" }],
  [["-h"], { kind: "help" }],
  [["--version"], { kind: "version" }],
  [["-v"], { kind: "version" }],
  [["--port", "3000"], { kind: "unknown", argument: "--port" }],
  [["--help", "me"], { kind: "unknown", argument: "me" }],
  [["-h", "-v"], { kind: "unknown", argument: "-h -v" }],
])("parseArguments() reads %j as %j", (args, request) => {
  expect(parseArguments(args)).toEqual(request);
});
