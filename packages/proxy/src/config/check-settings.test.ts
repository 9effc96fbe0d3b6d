import { resolveSettings } from "flags-server-kit";
import { expect, test } from "vitest";
import { translateEnvironment } from "./aliases/translate-environment.ts";
import { checkSettings, findUnreachableLimits } from "./check-settings.ts";
import { SETTINGS } from "./settings.ts";

const find = (environment: Record<string, string>, maxConnections: number): readonly string[] =>
  findUnreachableLimits(resolveSettings(SETTINGS, { environment }), maxConnections, {
    limit: 1024,
  });

test("findUnreachableLimits() returns no hint for defaults and for limits that can be reached", () => {
  expect(find({}, 921)).toEqual([]);
  const environment = { FLAGS_MAX_CONNECTIONS: "900", FLAGS_PUSH_MAX_STREAMS: "600" };
  expect(find(environment, 900)).toEqual([]);
});

test("findUnreachableLimits() returns a hint with the numbers for limits that cannot be reached", () => {
  expect(find({ FLAGS_MAX_CONNECTIONS: "5000" }, 5000)).toEqual([
    expect.stringMatching(
      /^FLAGS_MAX_CONNECTIONS is 5000, but the open-file limit .* is 1024: .* at most 921$/,
    ),
  ]);
  expect(find({ FLAGS_PUSH_MAX_STREAMS: "800" }, 921)).toEqual([
    "FLAGS_PUSH_MAX_STREAMS is 800, but at most 690 of 921 connections can be streams: raise FLAGS_MAX_CONNECTIONS (option maxConnections), and the limit of open files (ulimit -n) if necessary",
  ]);
});

test.each([
  ["web:dev.a,app:dev.b,*:prod.c,web:prod.d", ["dev"]],
  ["web:dev.a,[]:dev.b,web:prod.c,app:prod.d", ["dev", "prod"]],
  ["web:dev.a,[]:prod.c", []],
])("with the tokens %s, keys for several projects are rejected in %j", (FLAGS_API_TOKEN, found) => {
  const hintsFor = (environment: Record<string, string>) =>
    checkSettings(resolveSettings(SETTINGS, { environment }), undefined).hints;
  const environment = { FLAGS_URL: "http://u.test/api", FLAGS_API_TOKEN };
  expect(hintsFor({ ...environment, FLAGS_UPSTREAM_KEYS: "true" })).toEqual(
    found.map(
      (name) =>
        `FLAGS_API_TOKEN has several tokens for the environment ${name}, but none for all projects (*): keys for several projects are rejected. Add a token for all projects`,
    ),
  );
  expect(hintsFor(environment)).toEqual([]);
});

test.each([
  ["*:dev.a,*:dev.b,*:prod.c,web:dev.d,[]:prod.e,web:dev.f", [2, 6], [1, 4]],
  ["*:dev.a,web:dev.b,*:prod.c", [], []],
  ["a-token,another-token", [], []],
])("of the tokens %s, the entries %j serve no key", (FLAGS_API_TOKEN, unused, used) => {
  const environment = { FLAGS_URL: "http://u.test/api", FLAGS_API_TOKEN };
  const { hints } = checkSettings(resolveSettings(SETTINGS, { environment }), undefined);
  expect(hints).toEqual(
    unused.map(
      (entry, index) =>
        `Entry ${entry} of FLAGS_API_TOKEN serves no key, because entry ${used[index]} is for the same environment and project: remove one of them`,
    ),
  );
});

const ONLINE = { UPSTREAM_URL: "http://u.test" };

test.each([
  [{ ...ONLINE, TOKENS: "*:dev.example-admin-token-change-me" }, ["TOKENS is an example"]],
  [
    { ...ONLINE, TOKENS: "*:dev.example-admin-token-change-me,*:prod.tiny" },
    ["TOKENS: entry 1 is an example", "TOKENS: entry 2 is easy to guess"],
  ],
  [
    { BOOTSTRAP_FILE: "flags.json", TOKENS: "*:dev.example-admin-token-change-me" },
    ["TOKENS: entry 1 is an example"],
  ],
])("a weak Edge token causes one warning, although it has two uses: %o", (given, warnings) => {
  const { environment, origins } = translateEnvironment(given);
  const { risks } = checkSettings(resolveSettings(SETTINGS, { environment, origins }), undefined);
  expect(risks).toEqual(warnings.map((warning) => expect.stringContaining(warning)));
});

test.each([
  [
    "0",
    [/^FLAGS_FETCH_INTERVAL is 0, so flags are never confirmed again: when FLAGS_MAX_STALENESS/],
  ],
  ["60000", [/^FLAGS_MAX_STALENESS must be longer than FLAGS_FETCH_INTERVAL/]],
  ["59999", []],
])("FLAGS_FETCH_INTERVAL=%s with FLAGS_MAX_STALENESS=60000 causes %j", (interval, hints) => {
  const environment = {
    FLAGS_URL: "http://u.test/api",
    FLAGS_FETCH_INTERVAL: interval,
    FLAGS_MAX_STALENESS: "60000",
  };
  const resolution = resolveSettings(SETTINGS, { environment });
  expect(checkSettings(resolution, undefined).hints).toEqual(
    hints.map((hint) => expect.stringMatching(hint)),
  );
});
