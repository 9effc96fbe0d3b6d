import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { TABLE } from "../../test/_settings.ts";
import { collectSecrets } from "./resolve-options.ts";
import { resolveSettings } from "./resolve-settings.ts";

test("resolveSettings() prefers an option to a variable, and a variable to the default", () => {
  const environment = { PORT: "4", SHOP_OPEN: "0" };
  const { values, problems } = resolveSettings(TABLE, { options: { port: 5 }, environment });
  expect(problems).toEqual([]);
  expect(values).toMatchObject({ port: 5, isOpen: false, keys: ["a", "b"], name: undefined });
});

test("resolveSettings() types every value by its kind and default", () => {
  const { values } = resolveSettings(TABLE, { environment: {} });
  expectTypeOf(values.port).toEqualTypeOf<number>();
  expectTypeOf(values.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(values.keys).toExtend<readonly string[]>();
  expect(values.port).toBe(3000);
});

test("resolveSettings() reads options from text as it reads variables", () => {
  const options = { port: " 5 ", isOpen: "0" };
  const { values, problems } = resolveSettings(TABLE, { options, environment: {} });
  expect(problems).toEqual([]);
  expect(values).toMatchObject({ port: 5, isOpen: false });
});

test("resolveSettings() reads the first variable that is not blank", () => {
  const environment = { PORT: " ", SHOP_PORT: " 7 " };
  const { values, origins } = resolveSettings(TABLE, { environment });
  expect(values.port).toBe(7);
  expect([...origins]).toEqual([["port", "SHOP_PORT"]]);
});

test("resolveSettings() reports every invalid value and returns the defaults for them", () => {
  const environment = { SHOP_PORT: "soon", SHOP_OPEN: "yes" };
  const options = { isOpen: 1, labels: { name: "\n", keys: [1] } };
  const { values, problems } = resolveSettings(TABLE, { options, environment });
  expect(values).toMatchObject({ port: 3000, isOpen: true, keys: ["a", "b"] });
  expect(problems).toEqual([
    'SHOP_PORT must be a whole number from 0 to 65535: current value is "soon"',
    "Option isOpen must be true or false (1 and 0 also work): current value is 1",
    'Option labels.name must be one line of text that is not empty: current value is "\\n"',
    "Option labels.keys must be a comma-separated list of words: current value is secret and not shown",
  ]);
});

test("resolveSettings() shortens long values in messages", () => {
  const { problems } = resolveSettings(TABLE, { environment: { PORT: "x".repeat(1000) } });
  expect(problems[0]?.length).toBeLessThan(200);
});

test("collectSecrets() finds the strings of secret settings, including those in lists and objects", () => {
  const options = { labels: { keys: "k1,k2", headers: { a: "Bearer h1", b: "h2" } } };
  const environment = { HTTP_PROXY: "http://user:p1@proxy.test", SHOP_PIN: "1234" };
  const { values } = resolveSettings(TABLE, { options, environment });
  expect(collectSecrets(TABLE, values)).toEqual(
    expect.arrayContaining(["p1", "k1", "k2", "Bearer h1", "h1", "h2"]),
  );
});

test("collectSecrets() omits empty strings and settings that are not set", () => {
  const { values } = resolveSettings(TABLE, { environment: { HTTP_PROXY: "http://proxy.test" } });
  expect(collectSecrets(TABLE, { ...values, keys: [] })).toEqual([]);
});

function writeSecret(content: string | Uint8Array): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-secret-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "secret");
  writeFileSync(path, content);
  return path;
}

test("resolveSettings() reads a secret from the file that a variable names", () => {
  const environment = { SHOP_KEYS_FILE: ` ${writeSecret("one,two\r\n")} `, SHOP_KEYS: " " };
  const { values, origins, problems } = resolveSettings(TABLE, { environment });
  expect(problems).toEqual([]);
  expect(values.keys).toEqual(["one", "two"]);
  expect(origins.get("keys")).toBe("SHOP_KEYS_FILE");
  expect(collectSecrets(TABLE, values)).toEqual(expect.arrayContaining(["one", "two"]));
});

test("resolveSettings() reads only secrets from files, and no file if an option is set", () => {
  const path = writeSecret("text");
  const { values, problems } = resolveSettings(TABLE, {
    options: { labels: { keys: ["option"] } },
    environment: { SHOP_NAME_FILE: path, SHOP_PIN_FILE: path, SHOP_KEYS_FILE: "/none" },
  });
  expect(problems).toEqual([]);
  expect(values).toMatchObject({ name: undefined, pin: undefined, keys: ["option"] });
});

test("resolveSettings() rejects a secret that is set twice, in the environment and in a file", () => {
  const environment = { SHOP_KEYS: "one", SHOP_KEYS_FILE: writeSecret("two") };
  const { values, problems } = resolveSettings(TABLE, { environment });
  expect(problems).toEqual(["SHOP_KEYS and SHOP_KEYS_FILE are both set: remove one of them"]);
  expect(values.keys).toEqual(["a", "b"]);
});

test.each([
  ["/none/secret", 'cannot read the file "/none/secret": there is no such file'],
  [tmpdir(), `cannot read the file ${JSON.stringify(tmpdir())}: it is a directory`],
  ["/dev/null", 'the file "/dev/null" is empty'],
  ["*:*.a-token", 'cannot read the file "*:*.[redacted]": there is no such file'],
])("resolveSettings() names the variable and the path for the file %s", (path, problem) => {
  const { problems } = resolveSettings(TABLE, { environment: { SHOP_KEYS_FILE: path } });
  expect(problems).toEqual([`SHOP_KEYS_FILE: ${problem}`]);
});

test("resolveSettings() shows nothing of the content of an unusable file", () => {
  const table = { pin: { ...TABLE.pin, kind: TABLE.name.kind, secret: true } };
  for (const content of ["hidden\nhidden", Uint8Array.of(200, 201)]) {
    const path = writeSecret(content);
    const { problems } = resolveSettings(table, { environment: { SHOP_PIN_FILE: path } });
    expect(problems).toEqual([expect.stringMatching(/^SHOP_PIN_FILE(: cannot read| must name) /)]);
    expect(problems.join()).not.toContain("hidden");
  }
});
