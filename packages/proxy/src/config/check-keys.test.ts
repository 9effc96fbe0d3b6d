import { resolveSettings } from "flags-server-kit";
import { expect, test } from "vitest";
import { translateEnvironment } from "../migrate/translate-environment.ts";
import { findSplitEnvironments, findUnusedTokens, findWeakKeys } from "./check-keys.ts";
import { SETTINGS } from "./settings.ts";

test.each([
  ["web:dev.a,app:dev.b,*:prod.c,web:prod.d", ["dev"]],
  ["web:dev.a,[]:dev.b,web:prod.c,app:prod.d", ["dev", "prod"]],
  ["web:dev.a,[]:prod.c", []],
])("with the tokens %s, keys for several projects are rejected in %j", (FLAGS_API_TOKEN, found) => {
  const hintsFor = (environment: Record<string, string>) =>
    findSplitEnvironments(resolveSettings(SETTINGS, { environment }));
  const environment = { FLAGS_URL: "http://u.test/api", FLAGS_API_TOKEN };
  expect(hintsFor({ ...environment, FLAGS_UPSTREAM_KEYS: "true" })).toEqual(
    found.map(
      (name) =>
        `FLAGS_API_TOKEN has several tokens for the environment ${name}, but none for all projects (*): keys for several projects are rejected. Add a token for all projects`,
    ),
  );
  expect(hintsFor(environment)).toEqual([]);
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
  const risks = findWeakKeys(resolveSettings(SETTINGS, { environment, origins }));
  expect(risks).toEqual(warnings.map((warning) => expect.stringContaining(warning)));
});

test.each([
  ["*:dev.a,*:dev.b,*:prod.c,web:dev.d,[]:prod.e,web:dev.f", [2, 6], [1, 4]],
  ["*:dev.a,web:dev.b,*:prod.c", [], []],
  ["a-token,another-token", [], []],
])("of the tokens %s, the entries %j serve no key", (FLAGS_API_TOKEN, unused, used) => {
  const environment = { FLAGS_URL: "http://u.test/api", FLAGS_API_TOKEN };
  const hints = findUnusedTokens(resolveSettings(SETTINGS, { environment }));
  expect(hints).toEqual(
    unused.map(
      (entry, index) =>
        `Entry ${entry} of FLAGS_API_TOKEN serves no key, because entry ${used[index]} is for the same environment and project: remove one of them`,
    ),
  );
});
