import { expect, test } from "vitest";
import { SETTINGS_SUBCOMMANDS } from "../subcommands.ts";
import { translate } from "./translate.ts";

test("translate() separates the command line of Edge, and changes neither its input nor the process", () => {
  const args = Object.freeze(["check", "--json", "edge", "-u", "http://u.test", "-t", "a:b.c"]);
  const environment = Object.freeze({ PORT: "80", TOKENS: "d:e.f" });
  const before = { argv: [...process.argv], env: { ...process.env } };
  const { args: own, environment: translated } = translate(args, environment, SETTINGS_SUBCOMMANDS);
  expect(own).toEqual(["check", "--json"]);
  expect(translated.environment).toMatchObject({
    PORT: "80",
    FLAGS_URL: "http://u.test/api",
    FLAGS_API_TOKEN: "a:b.c",
  });
  expect(translated.edge?.mode).toBe("edge");
  expect({ argv: process.argv, env: { ...process.env } }).toEqual(before);
});

test("translate() leaves other arguments and variables as they are", () => {
  const environment = { FLAGS_URL: "http://u.test/api", PORT: "80" };
  const translated = translate(["check", "--json"], environment, SETTINGS_SUBCOMMANDS);
  expect(translated.args).toEqual(["check", "--json"]);
  expect(translated.environment).toMatchObject({ environment, information: [], warnings: [] });
});

test.each([
  ["offline --tokens *:dev.a", "flags-proxy offline needs a file with flags"],
  ["check edge --upstream x", "Unknown option --upstream"],
])("translate() rejects %s", (line, problem) => {
  expect(() => translate(line.split(" "), {}, SETTINGS_SUBCOMMANDS)).toThrow(problem);
});
