import { expect, test } from "vitest";
import type { Evidence } from "./evidence.ts";
import { judge } from "./judge.ts";

const TODAY = 100;
const FIRST = 70;
const DAY_MS = 86_400_000;

interface Days {
  readonly name?: string;
  readonly isProduction?: boolean;
  readonly last?: number;
  readonly lastOn?: number | null;
  readonly lastOff?: number | null;
  readonly since?: number;
  readonly variant?: string | null;
}

/** What production reported, if not said otherwise: on since day 50. */
function reports(days: Days = {}): Evidence {
  const { name = "production", isProduction = true, last = TODAY, since = 50 } = days;
  const { lastOn = last, lastOff = null, variant = null } = days;
  const toTime = (day: number | null): number | null => (day === null ? null : day * DAY_MS);
  return {
    feature: "flag",
    environment: name,
    isProduction,
    seenAt: toTime(last),
    lastDay: toTime(last),
    lastOn: toTime(lastOn),
    lastOff: toTime(lastOff),
    since: toTime(since),
    hasChanged: false,
    variant,
  };
}

const NEVER: Evidence = { ...reports(), seenAt: null, lastDay: null, lastOn: null, since: null };
const development = (days: Days = {}): Evidence =>
  reports({ name: "development", isProduction: false, ...days });
const OFF = { lastOn: null, lastOff: TODAY } as const;

const find = (evidence: readonly Evidence[], reporting = ["production", "eu", "development"]) =>
  judge(evidence, { firstDay: FIRST * DAY_MS, reporting: new Set(reporting) });

test.each([
  ["on in production", [reports()], { kind: "constant", value: { enabled: true } }],
  ["off", [reports(OFF)], { kind: "constant", value: { enabled: false } }],
  ["one variant", [reports({ variant: "blue" })], { value: { enabled: true, variant: "blue" } }],
  ["on without a variant", [reports({ variant: "disabled" })], { value: { enabled: true } }],
  ["unused", [reports({ last: 69 })], { kind: "unused", environments: ["production"] }],
  ["on in both", [reports(), reports({ name: "eu" })], { environments: ["eu", "production"] }],
  ["on in one, never used in the other", [reports(), { ...NEVER, environment: "eu" }], {}],
  ["switched by tests elsewhere", [reports(), development({ lastOff: TODAY })], {}],
  ["without production", [development()], { environments: ["development"] }],
] as const)("judge() finds a flag that is %s", (_title, evidence, expected) => {
  expect(find(evidence)).toMatchObject(expected);
});

test.each([
  ["never used", [NEVER]],
  ["only used in development", [NEVER, development()]],
  ["unused in production, but not in development", [reports({ last: 60 }), development()]],
  ["on for less than 30 days", [reports({ since: 71 })]],
  ["on and off on the last day", [reports({ lastOff: TODAY, since: 101 })]],
  ["different in two environments", [reports(), reports({ name: "eu", ...OFF })]],
  ["of other variants", [reports({ variant: "a" }), reports({ name: "eu", variant: "b" })]],
  ["off in production, but on in development", [reports(OFF), development()]],
] as const)("judge() finds no flag that is %s", (_title, evidence) => {
  expect(find(evidence)).toBeNull();
});

test("judge() says nothing if an environment where the flag was used is silent", () => {
  const evidence = [reports(), reports({ name: "eu", last: 60 })];
  expect(find(evidence)).not.toBeNull();
  expect(find(evidence, ["production"])).toBeNull();
});
