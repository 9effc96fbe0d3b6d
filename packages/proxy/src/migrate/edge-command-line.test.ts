import { booleanKind } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { SETTINGS } from "../config/settings.ts";
import type { Alias } from "./aliases/alias.ts";
import { asBoolean, isTrue, negated } from "./aliases/conversions.ts";
import { EDGE_ALIASES } from "./aliases/edge-aliases.ts";
import { EDGE_MODES, listEdgeOptions, parseEdgeCommandLine } from "./edge-command-line.ts";

const parse = (line: string) => parseEdgeCommandLine(line.split(" "));

test.each([
  ["edge", {}],
  ["edge -u http://u.test -t a:b.c", { UPSTREAM_URL: "http://u.test", TOKENS: "a:b.c" }],
  ["edge --tokens a:b.c --tokens=d:e.f", { TOKENS: "a:b.c,d:e.f" }],
  ["-p 80 edge -p a:b.c", { PORT: "80", PRETRUSTED_TOKENS: "a:b.c" }],
  [
    "--trust-proxy edge --strict -s",
    { TRUST_PROXY: "true", STRICT: "true", SKIP_SSL_VERIFICATION: "true" },
  ],
  ["edge -f 10 -m 20", { FEATURES_REFRESH_INTERVAL_SECONDS: "10", METRICS_INTERVAL_SECONDS: "20" }],
  ["edge --port 80", { PORT: "80" }],
  ["--app-name edge edge", { APP_NAME: "edge" }],
  [
    "offline -b f.json -c a:b.c -f d:e.f",
    { BOOTSTRAP_FILE: "f.json", CLIENT_TOKENS: "a:b.c", FRONTEND_TOKENS: "d:e.f" },
  ],
])("the arguments %s set %j", (line, variables) => {
  expect(parse(line)).toMatchObject({ variables });
});

test.each(["check", "--env-file edge", "health --edge-url x", "edge --help", "--version edge"])(
  "the arguments %s are not those of Edge",
  (line) => {
    expect(parse(line)).toBeUndefined();
  },
);

test.each([
  ["edge --upstream http://u.test", "Unknown option --upstream: see flags-proxy edge --help"],
  [
    "edge --tokns a:b.c",
    "Unknown option --tokns: did you mean --tokens? If not, see flags-proxy edge --help",
  ],
  ["edge extra", "Unexpected argument after edge: see flags-proxy edge --help"],
  ["edge --tokens", "--tokens needs a value: see flags-proxy edge --help"],
  ["edge -u --tokens a:b.c", "-u needs a value: see flags-proxy edge --help"],
  ["edge --rust-log info", "Unknown option --rust-log: see flags-proxy edge --help"],
])("the arguments %s are rejected: %s", (line, problem) => {
  expect(parse(line)).toBe(problem);
});

test("the arguments can name env files", () => {
  expect(parse("edge --env-file a.env --env-file=b.env -p k")).toEqual({
    mode: "edge",
    variables: { PRETRUSTED_TOKENS: "k" },
  });
});

function isBoolean(alias: Alias): boolean {
  const { to, conversion } = alias;
  if (alias.isActive === isTrue || conversion === asBoolean || conversion === negated) return true;
  const setting = Object.values(SETTINGS).find(({ variables }) => variables.includes(to[0] ?? ""));
  return conversion === undefined && setting?.kind === booleanKind;
}

test.each(EDGE_MODES)("options of %s need no value if their setting is true or false", (mode) => {
  const booleans = new Set(EDGE_ALIASES.filter(isBoolean).map(({ name }) => name));
  const options = listEdgeOptions(mode).filter(({ variable }) => booleans.has(variable));
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter(({ hasValue }) => hasValue)).toEqual([]);
});
