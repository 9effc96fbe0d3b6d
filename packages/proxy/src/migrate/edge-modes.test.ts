import { expect, test } from "vitest";
import { EDGE_SUBCOMMANDS } from "./edge-modes.ts";

const [edge, offline] = EDGE_SUBCOMMANDS;

test.each([
  [edge, "port", /^Port to listen on/],
  [edge, "interface", /^Sets HOST\. Address to listen on/],
  [
    edge,
    "features-refresh-interval-seconds",
    /^Sets FLAGS_FETCH_INTERVAL \(in milliseconds instead of seconds\)\. Seconds between /,
  ],
  [edge, "tokens", /^Sets FLAGS_API_TOKEN and EXP_SERVER_SIDE_SDK_CONFIG_TOKENS\. Backend token/],
  [offline, "tokens", /^Sets FLAGS_PROXY_CLIENT_KEYS and EXP_SERVER_SIDE_SDK_CONFIG_TOKENS\. Keys/],
  [
    edge,
    "skip-ssl-verification",
    /^Sets HTTP_OPTIONS_REJECT_UNAUTHORIZED \(with the opposite value\)\. Accepts any certificate/,
  ],
  [edge, "redis-url", /^Sets FLAGS_STORE \(.*\)\. Address of the Redis server that keeps flags/],
  [edge, "redis-port", /^Sets FLAGS_STORE \(as part of the address\)\. Port of Redis, /],
  [edge, "workers", /^No effect: Edge 20 does not read it either; .*\.$/],
  [edge, "upstream-auth-header", /^Prevents the start: the upstream token is always sent in /],
  [edge, "allow-list", /^Sets FLAGS_ALLOW_LIST\. .* Note: with TRUST_PROXY, .*\.$/],
])("the help describes the options of Edge: %o --%s", (subcommand, option, description) => {
  expect(subcommand?.options[option]?.description).toMatch(description);
});

test.each([
  [edge, true],
  [offline, false],
])("the help names the defaults of Edge: %o", (subcommand, verifiesKeys) => {
  const text = [subcommand?.description].flat().join(" ");
  expect(text).toContain("PORT=3063, ENABLE_ALL_ENDPOINT=true, ");
  expect(text.includes("FLAGS_UPSTREAM_KEYS=true")).toBe(verifiesKeys);
});

test("the help describes every option in sentences", () => {
  const descriptions = EDGE_SUBCOMMANDS.flatMap(({ options }) => Object.values(options)).map(
    ({ description }) => description,
  );
  expect(descriptions.filter((description) => !/^[A-Z].{10,}\.$/.test(description))).toEqual([]);
});
