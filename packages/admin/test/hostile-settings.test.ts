// Whatever the value of a setting is, the service starts or prints a line about it, without passwords and stack traces.

import { resolveSettings, showSettings } from "flags-server-kit";
import { variablesOf } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { checkOutput, hostileValues, isAccepted } from "../../server-kit/test/_hostile-values.ts";
import { loadConfig } from "../src/config/config.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { startCommand } from "./_command.ts";

/** The settings that are URLs, with the schemes that they accept. */
const SCHEMES: Readonly<Record<string, string>> = {
  DATABASE_URL: "postgres",
  PUBLIC_URL: "https",
  OIDC_ISSUER: "https",
  OTEL_EXPORTER_OTLP_ENDPOINT: "https",
};

/** Not URLs: a valid value can contain anything, and the log may show it. */
const TEXTS = new Set(["OTEL_RESOURCE_ATTRIBUTES"]);

const CASES = Object.values(SETTINGS)
  .flatMap((setting) => [...variablesOf(setting)])
  .flatMap((variable) =>
    hostileValues(SCHEMES[variable] ?? "https", variable in SCHEMES).map((value) => ({
      variable,
      value,
    })),
  );

async function tryCase({ variable, value }: (typeof CASES)[number]): Promise<boolean> {
  const environment = { [variable]: value };
  const accepted = await isAccepted(variable, () => loadConfig(environment));
  if (accepted && !TEXTS.has(variable)) {
    const { values } = resolveSettings(SETTINGS, { environment });
    checkOutput(JSON.stringify(showSettings(SETTINGS, values)));
  }
  return accepted;
}

test("every setting accepts a hostile value, or rejects it with a line that names the variable", async () => {
  expect(CASES.length).toBeGreaterThan(1000);
  for (const each of CASES) {
    // oxlint-disable-next-line no-await-in-loop -- so that the error names the case
    await tryCase(each).catch((error: unknown) => {
      throw new Error(`${each.variable}=${JSON.stringify(each.value)}`, { cause: error });
    });
  }
});

test("accepted URLs with passwords cause no stack traces and do not appear in the output", async () => {
  const accepted: string[] = [];
  for (const each of CASES) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (each.variable in SCHEMES && (await tryCase(each))) accepted.push(each.value);
  }
  expect(accepted.length).toBeGreaterThan(2);
  const runs = accepted.map(async (value) => {
    const environment = { DATABASE_URL: value, LOG_LEVEL: "debug", PORT: "0" };
    const { code, stdout, stderr } = await startCommand(environment).finished();
    expect(code).toBe(1);
    expect(stderr).toContain("Cannot use the database 127.0.0.1:1");
    checkOutput(stdout + stderr);
  });
  await Promise.all(runs);
});

test.each([
  [[], "DATABASE_URL"],
  [["backup", "--file", "/dev/null"], "DATABASE_URL"],
  [["restore", "--file", "/dev/null"], "DATABASE_URL"],
  [["health", "--url", "http://user:1234/pl4nted@127.0.0.1:1"], "--url"],
  [["ready", "--url", "http://user:1234/pl4nted@127.0.0.1:1"], "--url"],
])("flags-admin %j rejects an @ after the host without showing the value", async (args, name) => {
  const environment = {
    DATABASE_URL: "postgres://user:1234/pl4nted@127.0.0.1/flags",
    PUBLIC_URL: "https://user:1234/pl4nted@flags.example.com",
    OIDC_ISSUER: "https://user:1234/pl4nted@login.example.com",
  };
  const { code, stdout, stderr } = await startCommand(environment, args).finished();
  expect(code).not.toBe(0);
  expect(stderr).toContain(name);
  checkOutput(stdout + stderr);
});
