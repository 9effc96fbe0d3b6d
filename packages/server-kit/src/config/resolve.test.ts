import { expect, expectTypeOf, test } from "vitest";
import { TABLE } from "./_settings.ts";
import { resolveSettings } from "./resolve.ts";

test("resolveSettings() takes an option before the environment, and that before the default", () => {
  const environment = { PORT: "4", SHOP_OPEN: "0" };
  const { values, problems } = resolveSettings(TABLE, { options: { port: 5 }, environment });
  expect(problems).toEqual([]);
  expect(values).toMatchObject({ port: 5, isOpen: false, keys: ["a", "b"], name: undefined });
});

test("resolveSettings() gives every value the type of its kind and default", () => {
  const { values } = resolveSettings(TABLE, { environment: {} });
  expectTypeOf(values.port).toEqualTypeOf<number>();
  expectTypeOf(values.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(values.keys).toExtend<readonly string[]>();
});

test("resolveSettings() takes the first variable that is not blank", () => {
  const environment = { PORT: " ", SHOP_PORT: " 7 " };
  const { values, origins } = resolveSettings(TABLE, { environment });
  expect(values.port).toBe(7);
  expect([...origins]).toEqual([["port", "SHOP_PORT"]]);
});

test("resolveSettings() tells everything that is wrong, and keeps the defaults there", () => {
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

test("resolveSettings() shows no more of a value than is legible", () => {
  const { problems } = resolveSettings(TABLE, { environment: { PORT: "x".repeat(1000) } });
  expect(problems[0]?.length).toBeLessThan(200);
});
