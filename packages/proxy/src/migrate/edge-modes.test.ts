import { expect, test } from "vitest";
import { EDGE_SUBCOMMANDS } from "./edge-modes.ts";

const [edge, offline] = EDGE_SUBCOMMANDS;

test.each([
  [edge, true],
  [offline, false],
])("the help names the defaults of Edge: %o", (subcommand, verifiesKeys) => {
  const text = [subcommand?.description].flat().join(" ");
  expect(text).toContain("PORT=3063, ENABLE_ALL_ENDPOINT=true, ");
  expect(text.includes("FLAGS_UPSTREAM_KEYS=true")).toBe(verifiesKeys);
});
