// Whatever the value of a setting is, the proxy starts or prints a line about it, without passwords and stack traces.

import { resolveSettings, showSettings } from "flags-server-kit";
import { variablesOf } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { checkOutput, hostileValues, isAccepted } from "../../server-kit/test/_hostile-values.ts";
import { loadTranslatedConfig as loadConfig } from "../src/migrate/load-translated-config.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { runCommand } from "./_command.ts";
import { MemoryLogger } from "./_proxy.ts";

const REQUIRED = {
  FLAGS_URL: "http://127.0.0.1:1/api",
  FLAGS_API_TOKEN: "*:development.an-upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: "a-client-key-that-is-long",
};

/** The settings that are URLs, with the schemes that they accept. */
const SCHEMES: Readonly<Record<string, readonly string[]>> = {
  FLAGS_URL: ["https"],
  FLAGS_STORE: ["redis", "rediss+sentinel", "redis+cluster", "s3"],
  HTTP_PROXY: ["http"],
  HTTPS_PROXY: ["http"],
  ALL_PROXY: ["http"],
  CORS_ORIGIN: ["https", "capacitor"],
  EXP_BOOTSTRAP_URL: ["https"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["https"],
};

/** Not URLs: a valid value can contain anything, and the log may show it. */
const TEXTS = new Set(["FLAGS_TAGS", "OTEL_RESOURCE_ATTRIBUTES"]);

interface Case {
  readonly variable: string;
  readonly value: string;
}

const CASES: readonly Case[] = Object.values(SETTINGS)
  .flatMap((setting) => [...variablesOf(setting)])
  .flatMap((variable) =>
    (SCHEMES[variable] ?? ["https"]).flatMap((scheme) =>
      hostileValues(scheme, variable in SCHEMES).map((value) => ({ variable, value })),
    ),
  );

/** Reads the settings as the command does. Returns whether they are valid. */
async function tryCase({ variable, value }: Case): Promise<boolean> {
  const environment = { ...REQUIRED, [variable]: value };
  const logger = new MemoryLogger();
  const accepted = await isAccepted(variable, () => loadConfig({ logger }, environment));
  if (accepted && !TEXTS.has(variable)) {
    const { values } = resolveSettings(SETTINGS, { environment });
    checkOutput(JSON.stringify([showSettings(SETTINGS, values), logger.lines]));
  }
  return accepted;
}

test("every setting accepts a hostile value, or rejects it with a line that names the variable", async () => {
  expect(CASES.length).toBeGreaterThan(2000);
  for (const each of CASES) {
    // oxlint-disable-next-line no-await-in-loop -- loading thousands at the same time takes too much memory
    await tryCase(each).catch((error: unknown) => {
      throw new Error(`${each.variable}=${JSON.stringify(each.value)}`, { cause: error });
    });
  }
});

test("accepted URLs with passwords cause no stack traces and do not appear in the output", async () => {
  const accepted: Case[] = [];
  for (const each of CASES) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (Object.hasOwn(SCHEMES, each.variable) && (await tryCase(each))) accepted.push(each);
  }
  expect(new Set(accepted.map(({ variable }) => variable))).toEqual(
    new Set(["FLAGS_STORE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "EXP_BOOTSTRAP_URL"]),
  );
  const runs = accepted.map(async ({ variable, value }) => {
    const environment = { ...REQUIRED, AWS_REGION: "x", LOG_LEVEL: "debug", [variable]: value };
    const { stdout, stderr } = await runCommand(environment, ["check"]);
    checkOutput(stdout + stderr);
  });
  await Promise.all(runs);
});

const PASSWORD = "1234/pl4nted";

test.each([
  [[]],
  [["check"]],
  [["compare", "--with", "http://127.0.0.1:1/proxy"]],
  [["explain", "flag"]],
  [["health", "--url", `http://user:${PASSWORD}@127.0.0.1:1`]],
  [["ready", "--url", `http://user:${PASSWORD}@127.0.0.1:1`]],
  [["explain", "--url", `http://user:${PASSWORD}@127.0.0.1:1/proxy`, "--key-file", "/dev/null"]],
  [["compare", "--with", `http://user:${PASSWORD}@127.0.0.1:1/proxy`]],
  [["edge", "--upstream-url", `http://user:${PASSWORD}@127.0.0.1:1`]],
])("flags-proxy %j rejects an @ after the host without showing the value", async (args) => {
  const url = `https://user:${PASSWORD}@127.0.0.1:1/api`;
  const { code, stdout, stderr } = await runCommand(
    {
      FLAGS_API_TOKEN: "*:development.an-upstream-token",
      ...(!args.includes("edge") && { FLAGS_URL: url }),
      EXP_BOOTSTRAP_URL: url,
      HTTP_PROXY: url,
      FLAGS_STORE: `redis://user:${PASSWORD}@127.0.0.1:1`,
    },
    args,
  );
  expect(code).not.toBe(0);
  checkOutput(stdout + stderr);
  expect(stdout + stderr).toMatch(/FLAGS_URL|UPSTREAM_URL|FLAGS_PROXY_CLIENT_KEYS|--url|--with/);
});

test.each(["REDIS_URL", "UPSTREAM_URL", "UNLEASH_URL"])(
  "%s rejects an @ after the host, as FLAGS_URL does",
  async (name) => {
    const environment = {
      UPSTREAM_URL: "http://127.0.0.1:1",
      TOKENS: "*:development.an-upstream-token",
      [name]: `redis://h1:6379,redis://user:${PASSWORD}@h2`,
    };
    await expect(loadConfig({ logger: new MemoryLogger() }, environment)).rejects.toThrow(
      `- ${name} cannot be used: it has an @ after the host`,
    );
  },
);

test.each(["http://127.0.0.1:1/path", "http://127.0.0.1:1/?query", "http://127.0.0.1:1#f"])(
  "HTTP_PROXY=%s is one line, not a stack trace",
  async (value) => {
    const { code, stdout, stderr } = await runCommand({ ...REQUIRED, HTTP_PROXY: value });
    expect(code).toBe(1);
    checkOutput(stdout + stderr);
    expect(stderr).toContain(
      "- HTTP_PROXY must be the URL of a proxy server that starts with http:// or https://, without a path, ? or #",
    );
  },
);
