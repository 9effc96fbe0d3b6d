import fc from "fast-check";
import { Compile } from "typebox/compile";
import { USAGE_LIMITS } from "../../upstream/usage/usage-limits.ts";
import { expect, test, vi } from "vitest";
import { fuzzRuns } from "../../../../../scripts/test-size.ts";
import { MAX_REPORTED_TOGGLES, UsageBody, isPlainUsage } from "./schemas.ts";

const start = "2026-11-21T00:00:00.000Z";
const report = (toggles: unknown, more: object = {}) => ({
  appName: "app",
  bucket: { start, toggles, ...more },
});

test("isPlainUsage() accepts reports of SDKs", () => {
  expect(isPlainUsage(report({}))).toBe(true);
  expect(isPlainUsage(report({ a: { yes: 1, no: 0 } }))).toBe(true);
  expect(isPlainUsage(report({ a: { yes: 1, no: 0, variants: { blue: 1 } } }))).toBe(true);
  expect(isPlainUsage({ ...report({}), instanceId: "i" })).toBe(true);
  expect(isPlainUsage(report({ a: { yes: "10", no: "0", variants: { blue: "7" } } }))).toBe(true);
});

test("isPlainUsage() rejects too many toggles", () => {
  const names = Array.from({ length: MAX_REPORTED_TOGGLES + 1 }, (_, index) => `flag-${index}`);
  const toggles = Object.fromEntries(names.map((name) => [name, { yes: 1, no: 0 }]));
  expect(isPlainUsage(report(toggles))).toBe(false);
});

test("isPlainUsage() does not read too many variants, which take long", () => {
  const names = Array.from({ length: USAGE_LIMITS.variantsPerFeature + 1 }, (_, index) => index);
  const get = vi.fn<() => number>().mockReturnValue(1);
  const variants = new Proxy(Object.fromEntries(names.map((name) => [name, 1])), { get });
  expect(isPlainUsage(report({ a: { yes: 1, no: 0, variants } }))).toBe(true);
  expect(get).not.toHaveBeenCalled();
});

const oddity = fc.oneof(fc.jsonValue(), fc.constantFrom(-1, Infinity, NaN, 1e300, undefined));
const usually = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: oddity });
const text = fc.constantFrom("", "0", "12", "1e3", "-1", " 1", "1\n", "٣", "9".repeat(400));
const count = usually(fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 1, arbitrary: text }));
const toggle = fc.record(
  { yes: count, no: count, variants: usually(fc.dictionary(fc.string(), count)) },
  { requiredKeys: ["yes", "no"] },
);
const bucket = fc.record({
  start: usually(fc.constant(start)),
  toggles: usually(fc.dictionary(fc.string(), usually(toggle), { maxKeys: 4 })),
});
const body = usually(fc.record({ appName: usually(fc.string()), bucket: usually(bucket) }));

const RUNS = fuzzRuns(2000, 20_000);

test("isPlainUsage() accepts only bodies that the schema accepts", () => {
  const schema = Compile(UsageBody);
  let accepted = 0;
  fc.assert(
    fc.property(body, (value) => {
      const isPlain = isPlainUsage(value);
      accepted += Number(isPlain);
      return !isPlain || schema.Check(value);
    }),
    { numRuns: RUNS },
  );
  // About a fifth is accepted.
  expect(accepted).toBeGreaterThan(RUNS / 10);
});
