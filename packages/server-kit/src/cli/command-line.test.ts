import { expect, test } from "vitest";
import { PROGRAM } from "../config/_settings.ts";
import { formatHelp, parseArguments } from "./command-line.ts";

test.each([
  [[], { kind: "run" }],
  [["--help"], { kind: "help" }],
  [["-h"], { kind: "help" }],
  [["--version"], { kind: "version" }],
  [["-v"], { kind: "version" }],
  [["--port", "3000"], { kind: "unknown", argument: "--port" }],
  [["--help", "me"], { kind: "unknown", argument: "me" }],
  [["-h", "-v"], { kind: "unknown", argument: "-h -v" }],
])("parseArguments() parses %j as %j", (args, commandLine) => {
  expect(parseArguments(args)).toEqual(commandLine);
});

test("formatHelp() shows the program and every variable under its heading", () => {
  expect(formatHelp(PROGRAM)).toBe(`shop 1.2.3

Sells things.

Usage: shop [--help | --version]

Settings are environment variables. An empty variable counts as not set.

Listening
  PORT, SHOP_PORT  (default: 3000)
      Port to listen on.
  HTTP_PROXY  (default: none)
      Proxy server.

Shop
  SHOP_OPEN  (default: true)
      Lets customers in.
  SHOP_NAME  (required)
      The text above the door.
  SHOP_KEYS  (default: a, b)
      Keys. This sentence is long. This sentence is long. This sentence is long.
      This sentence is long. This sentence is long.
  SHOP_PIN  (default: none)
      Not marked as a secret.
`);
});
