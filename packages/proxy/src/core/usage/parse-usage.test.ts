import { expect, test, vi } from "vitest";
import { parseUsage } from "./parse-usage.ts";

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

test("parseUsage() converts counts without copying the toggles, which takes longer than parsing them", () => {
  const toggles = JSON.parse(
    `{"a":{"yes":1,"no":0,"extra":{}},"b":{"yes":"2","variants":{"__proto__":"3","blue":1.5}},"__proto__":{"no":null}}`,
  ) as Record<string, object>;
  const { features } = parseUsage({ appName: "a", bucket: { toggles } }, OPTIONS).usage;
  expect(features).toBe(toggles);
  expect(JSON.stringify(features)).toBe(
    '{"a":{"yes":1,"no":0},"b":{"yes":2,"no":0,"variants":{"__proto__":3,"blue":1}},"__proto__":{"yes":0,"no":0}}',
  );
});
