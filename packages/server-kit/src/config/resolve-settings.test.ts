import { expect, expectTypeOf, test } from "vitest";
import { TABLE } from "./_settings.ts";
import { collectSecrets, resolveSettings } from "./resolve-settings.ts";

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
    "Option isOpen must be true or false: current value is 1",
    'Option labels.name must be one line of text that is not empty: current value is "\\n"',
    "Option labels.keys must be a list of words: current value is not shown, as it is a secret",
  ]);
});

test("resolveSettings() shortens long values in messages", () => {
  const { problems } = resolveSettings(TABLE, { environment: { PORT: "x".repeat(1000) } });
  expect(problems[0]?.length).toBeLessThan(200);
});

test("collectSecrets() finds the texts of secret settings, also in lists and objects", () => {
  const options = { labels: { keys: "k1,k2", headers: { a: "h1", b: "h2" } } };
  const environment = { HTTP_PROXY: "http://user:p1@proxy.test", SHOP_PIN: "1234" };
  const { values } = resolveSettings(TABLE, { options, environment });
  expect(collectSecrets(TABLE, values)).toEqual(["p1", "k1", "k2", "h1", "h2"]);
});

test("collectSecrets() leaves out empty texts and settings that are not set", () => {
  const { values } = resolveSettings(TABLE, { environment: { HTTP_PROXY: "http://proxy.test" } });
  expect(collectSecrets(TABLE, { ...values, keys: [] })).toEqual([]);
});
