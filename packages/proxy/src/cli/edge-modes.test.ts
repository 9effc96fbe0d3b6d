import { expect, test } from "vitest";
import { EDGE_SUBCOMMANDS, splitArguments } from "./edge-modes.ts";
import { EXPLAIN } from "./explain/explain.ts";

const [edge, offline] = EDGE_SUBCOMMANDS;

test.each([
  [edge, "port", /^Port to listen on/],
  [edge, "interface", /^Sets HOST\. Address to listen on/],
  [
    edge,
    "features-refresh-interval-seconds",
    /^Sets FLAGS_FETCH_INTERVAL \(in milliseconds instead of seconds\)\. /,
  ],
  [edge, "tokens", /^Sets FLAGS_API_TOKEN and EXP_SERVER_SIDE_SDK_CONFIG_TOKENS\. Backend token/],
  [offline, "tokens", /^Sets FLAGS_PROXY_CLIENT_KEYS and EXP_SERVER_SIDE_SDK_CONFIG_TOKENS\. Keys/],
  [edge, "workers", /^No effect: Edge 20 does not read it either; .*\.$/],
  [edge, "allow-list", /^Sets FLAGS_ALLOW_LIST\. .* Note: with TRUST_PROXY, .*\.$/],
])("the help describes the options of Edge: %o --%s", (subcommand, option, description) => {
  expect(subcommand?.options[option]?.description).toMatch(description);
});

test("the help describes every option in sentences", () => {
  const descriptions = EDGE_SUBCOMMANDS.flatMap(({ options }) => Object.values(options)).map(
    ({ description }) => description,
  );
  expect(descriptions.filter((description) => !/^[A-Z].{10,}\.$/.test(description))).toEqual([]);
});

test.each([
  ["explain edge", "explain edge", ""],
  ["explain flag edge --upstream-url u", "explain flag", "edge --upstream-url u"],
  ["explain --json edge --upstream-url u", "explain --json", "edge --upstream-url u"],
  ["explain --context {} flag", "explain --context {} flag", ""],
])("separates %j from a command line of Edge", (line, own, others) => {
  expect(splitArguments(line.split(" "), [EXPLAIN])).toEqual({
    own: own.split(" "),
    others: others.split(" ").filter(Boolean),
  });
});
