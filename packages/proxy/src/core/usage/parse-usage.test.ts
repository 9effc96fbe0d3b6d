import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { isValid } from "../http/validation.ts";
import { UsageBody } from "./schemas.ts";
import { parseBulkUsage, parseUsage } from "./parse-usage.ts";

const OPTIONS = { nowMs: 0, quotaId: "key", keyKind: "client" } as const;
const numbered = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 1]));

test("parseUsage() rejects too many variants without reading them, since that takes long", () => {
  const get = vi.fn<() => number>().mockReturnValue(1);
  const variants = new Proxy(numbered(101), { get });
  const report = { appName: "a", bucket: { toggles: { a: { yes: 1, no: 0, variants } } } };
  expect(() => parseUsage(report, OPTIONS)).toThrow(/more than 100 variants/);
  expect(get).not.toHaveBeenCalled();
});

test("parseUsage() reads counts, and skips and counts invalid names", () => {
  const toggles = JSON.parse(
    `{"a":{"yes":1,"no":0,"extra":{}},"b":{"yes":"2","variants":{"__proto__":"3","blue":1.5,"":1}},"__proto__":{"no":null},"":{}}`,
  ) as object;
  const { usage, invalidCount } = parseUsage({ appName: "a", bucket: { toggles } }, OPTIONS);
  expect(JSON.stringify(usage.features)).toBe(
    '{"a":{"yes":1,"no":0},"b":{"yes":2,"no":0,"variants":{"__proto__":3,"blue":1}},"__proto__":{"yes":0,"no":0}}',
  );
  expect(invalidCount).toBe(2);
});

test("parseUsage() accepts exactly what the schema does", () => {
  const count = fc.oneof(fc.constantFrom(-1, 0, 1.5, "7", "-1", "x", "", null, true), fc.integer());
  const some = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 9, arbitrary: value }, fc.constantFrom(null, undefined, 1, "a", [], true));
  const name = fc.constantFrom("a", "b", "__proto__");
  const toggle = fc.record(
    { yes: some(count), no: some(count), variants: some(fc.dictionary(name, some(count))) },
    { requiredKeys: [] },
  );
  const bucket = fc.record(
    { start: some(fc.string()), toggles: some(fc.dictionary(name, some(toggle))) },
    { requiredKeys: [] },
  );
  const report = fc.record({ appName: some(fc.string()), bucket: some(bucket) });
  fc.assert(
    fc.property(some(report), (sent) => {
      const body = JSON.parse(JSON.stringify(sent ?? null)) as unknown;
      const parse = (): unknown => parseUsage(body, OPTIONS);
      if (isValid(UsageBody, body)) expect(parse).not.toThrow();
      else expect(parse).toThrow(/^Bad request: /);
    }),
  );
});

test("parseBulkUsage() adds entries for the same flag in time that is proportional to their number", () => {
  // If each entry caused a copy of the sum, this would take longer than a test may.
  const count = 100_000;
  const metrics = Array.from({ length: count }, (_, index) => ({
    appName: "a",
    featureName: "__proto__",
    yes: 1,
    no: 2,
    variants: { [`v${index}`]: 1, ["__proto__"]: 3 },
  }));
  const { usages, invalidCount } = parseBulkUsage(metrics, { ...OPTIONS, keyKind: "server" });
  expect(invalidCount).toBe(0);
  const [{ yes, no, variants = {} } = { yes: 0, no: 0 }] = usages.flatMap(({ features }) =>
    Object.values(features),
  );
  expect({ yes, no }).toEqual({ yes: count, no: 2 * count });
  expect(Object.keys(variants)).toHaveLength(count + 1);
  expect(Object.getOwnPropertyDescriptor(variants, "__proto__")?.value).toBe(3 * count);
});
