import { expect, test } from "vitest";
import { PROGRAM, SUBCOMMANDS } from "../../test/_settings.ts";
import type { Subcommand } from "./program.ts";
import { findEnvFiles, parseCommandLine } from "./parse-command-line.ts";

const [COUNT] = SUBCOMMANDS;

const parse = (...args: string[]) => parseCommandLine(PROGRAM, SUBCOMMANDS, args);

test.each([
  [[], { subcommand: undefined, options: {} }],
  [["count"], { subcommand: COUNT, options: {} }],
  [["count", "--json"], { subcommand: COUNT, options: { json: true } }],
  [["--json", "count"], { subcommand: COUNT, options: { json: true } }],
  [["count", "--unit", "kg"], { subcommand: COUNT, options: { unit: "kg" } }],
  [["count", "--unit", "-1"], { subcommand: COUNT, options: { unit: "-1" } }],
  [["count", "--unit=-1"], { subcommand: COUNT, options: { unit: "-1" } }],
  [["count", "--unit", "-"], { subcommand: COUNT, options: { unit: "-" } }],
  [["--env-file", "a"], { subcommand: undefined, options: {} }],
  [["--env-file=a", "count", "--env-file", "b"], { subcommand: COUNT, options: {} }],
])("parseCommandLine() accepts %j", (args, expected) => {
  expect(parse(...args)).toEqual({ kind: "run", argument: undefined, ...expected });
});

test("parseCommandLine() accepts one argument of a subcommand that has one", () => {
  const show = { ...COUNT, name: "show", argument: "ITEM", options: {} } as Subcommand;
  const parseShow = (...args: string[]) => parseCommandLine(PROGRAM, [show], args);
  expect(parseShow("show")).toMatchObject({ subcommand: show, argument: undefined });
  expect(parseShow("show", "a")).toMatchObject({ subcommand: show, argument: "a" });
  expect(parseShow("show", "a", "b")).toMatchObject({
    problem: "Unexpected argument b: see shop show --help",
  });
});

test("parseCommandLine() prefers --help to --version, and both to running", () => {
  for (const flag of ["--help", "-h"]) {
    expect(parse(flag)).toEqual({ kind: "help", subcommand: undefined });
    expect(parse("count", "-v", "--unit", "kg", flag)).toEqual({ kind: "help", subcommand: COUNT });
  }
  expect(parse("count", "7", "--ky", "--help")).toEqual({ kind: "help", subcommand: COUNT });
  expect(parse("help")).toEqual({ kind: "help", subcommand: undefined });
  expect(parse("help", "count")).toEqual({ kind: "help", subcommand: COUNT });
  for (const flag of ["--version", "-v"]) expect(parse(flag)).toEqual({ kind: "version" });
});

test.each([
  [["cuotn"], "Unknown command cuotn: see shop --help"],
  [["cont"], "Unknown command cont: did you mean count? If not, see shop --help"],
  [["sell", "--help"], "Unknown command sell: see shop --help"],
  [["count", "7"], "Unexpected argument 7: see shop count --help"],
  [
    ["--port", "7"],
    "Unknown option --port. Set the environment variable PORT instead: see shop --help",
  ],
  [
    ["--port=7"],
    "Unknown option --port. Set the environment variable PORT instead: see shop --help",
  ],
  [
    ["--shop-keys-file=k"],
    "Unknown option --shop-keys-file. Set the environment variable SHOP_KEYS_FILE instead: see shop --help",
  ],
  [["--hlpe"], "Unknown option --hlpe: see shop --help"],
  [["--hepl"], "Unknown option --hepl: did you mean --help? If not, see shop --help"],
  [["-x"], "Unknown option -x: see shop --help"],
  [["--json"], "Unknown option --json: see shop --help"],
  [["count", "--jsn"], "Unknown option --jsn: did you mean --json? If not, see shop count --help"],
  [
    ["count", "--unti", "kg"],
    "Unknown option --unti: did you mean --unit? If not, see shop count --help",
  ],
  [["--ky", "s3cret", "count"], "Unknown option --ky: see shop --help"],
  [["count", "7", "--ky", "7"], "Unknown option --ky: see shop count --help"],
  [["count", "--json=1"], "--json takes no value: see shop count --help"],
  [["--help=1"], "--help takes no value: see shop --help"],
  [["count", "--unit"], "--unit needs a value: see shop count --help"],
  [["count", "--unit="], "--unit needs a value: see shop count --help"],
  [["count", "--unit", "--json"], "--unit needs a value: see shop count --help"],
  [["count", "--unit", "-u"], "--unit needs a value: see shop count --help"],
  [["--env-file"], "--env-file needs a value: see shop --help"],
  [["--toString"], "Unknown option --toString: see shop --help"],
  [["--__proto__=1"], "Unknown option --__proto__: see shop --help"],
])("parseCommandLine() rejects %j: %s", (args, problem) => {
  expect(parse(...args)).toEqual({ kind: "invalid", problem });
});

test.each([
  [
    ["--env-file=a", "count", "--unknown", "--env-file", "b"],
    ["a", "b"],
  ],
  [["count", "--env-file"], []],
  [["--env-file", "--json"], []],
  [["--env-file", "a", "--help"], []],
])("findEnvFiles() finds the env files in %j", (args, files) => {
  expect(findEnvFiles(args)).toEqual(files);
});
