import { expect, test } from "vitest";
import type { StrategyDraft } from "../strategies/strategy-draft.ts";
import {
  describeArchiving,
  describeConsequence,
  describeCopy,
  describeDependencyChange,
  describeImport,
  describeSegmentChange,
  describeSwitch,
  describeTurnedOn,
  describeTurnedOnReach,
  type FlagChange,
} from "./consequence.ts";

const NAMES = { segments: [], types: [] };

function rollout(percentage: number, changed: Partial<StrategyDraft> = {}): StrategyDraft {
  return {
    name: "flexibleRollout",
    title: null,
    disabled: false,
    parameters: { rollout: String(percentage), stickiness: "default", groupId: "f" },
    constraints: [],
    segments: [],
    variants: [],
    ...changed,
  };
}

const quarter = { ...rollout(25), id: "quarter" };
const half = { ...rollout(50), id: "half" };
const disabled = { ...rollout(100, { disabled: true }), id: "disabled" };

function consequence(
  change: FlagChange,
  strategies: readonly (StrategyDraft & { readonly id: string })[],
  enabled = true,
): string {
  return describeConsequence(change, { name: "production", enabled, strategies }, NAMES);
}

test.each<[string, FlagChange, Parameters<typeof consequence>[1]]>([
  [
    "The last active strategy: this turns the flag off for everyone in production.",
    { kind: "delete", id: "quarter" },
    [quarter, disabled],
  ],
  [
    "The last active strategy: this turns the flag off for everyone in production.",
    { kind: "replace", id: "quarter", strategy: rollout(25, { disabled: true }) },
    [quarter],
  ],
  [
    "In production, this turns the flag on for 25% of users, instead of for 25% of users and for 50% of users.",
    { kind: "delete", id: "half" },
    [quarter, half],
  ],
  [
    "In production, this turns the flag on for everyone, instead of for 25% of users.",
    { kind: "add", strategy: rollout(100) },
    [quarter],
  ],
  [
    "In production, this turns the flag on for 75% of users, instead of for 25% of users.",
    { kind: "replace", id: "quarter", strategy: rollout(75) },
    [quarter],
  ],
  [
    "In production, this turns the flag on for 25% of users, instead of for everyone.",
    { kind: "add", strategy: rollout(25) },
    [],
  ],
  [
    "This changes the flag in production, where it is on for 25% of users.",
    { kind: "replace", id: "quarter", strategy: rollout(25, { title: "Pilot" }) },
    [quarter],
  ],
  [
    "The flag stays on for 25% of users in production, but people whom several strategies select can get other variants.",
    { kind: "order" },
    [quarter],
  ],
  [
    "This changes which variants people get in production, where the flag is on for 25% of users.",
    { kind: "variants" },
    [quarter],
  ],
])("describeConsequence() says: %s", (sentence, change, strategies) => {
  expect(consequence(change, strategies)).toBe(sentence);
});

test("describeConsequence() says that a change has no effect where the flag is off", () => {
  const change: FlagChange = { kind: "delete", id: "quarter" };
  const sentence = "The flag is off in production: this takes effect when somebody turns it on.";
  expect(consequence(change, [quarter], false)).toBe(sentence);
  expect(consequence(change, [disabled])).toBe(sentence);
});

test.each<[string, boolean, readonly string[]]>([
  ["This turns the flag off for everyone in production.", false, ["for everyone"]],
  ["This turns 2 flags off for everyone in production.", false, ["for everyone", "for nobody"]],
  ["This turns the flag on for 25% of users in production.", true, ["for 25% of users"]],
  ["This turns 2 flags on for everyone in production.", true, ["for everyone", "for everyone"]],
  [
    "This turns 3 flags on in production: 2 for everyone and 1 for 25% of users.",
    true,
    ["for everyone", "for 25% of users", "for everyone"],
  ],
])("describeSwitch() says: %s", (sentence, enabled, reached) => {
  expect(describeSwitch({ environment: "production", enabled, reached })).toBe(sentence);
});

test("describeTurnedOn() knows that the service adds a strategy if none is active", () => {
  expect(describeTurnedOn([], NAMES, "for everyone")).toBe("for everyone");
  expect(describeTurnedOn([disabled], NAMES, "for 10% of users")).toBe("for 10% of users");
  expect(describeTurnedOn([quarter, disabled], NAMES, "for everyone")).toBe("for 25% of users");
});

const REACH = { strategyCount: 1, percentage: null, conditionalCount: 0, segmentCount: 0 };

test.each([
  ["for everyone", { strategyCount: 0, percentage: 100 }],
  ["for everyone", { strategyCount: 0 }],
  ["for everyone", { percentage: 100, conditionalCount: 1 }],
  ["for 25% of users", { percentage: 25 }],
  ["for nobody", { percentage: 0 }],
  ["for those whom 2 rules select", { conditionalCount: 2 }],
  ["for 25% of users and 1 segment", { percentage: 25, conditionalCount: 1, segmentCount: 1 }],
])("describeTurnedOnReach() says: %s", (text, reach) => {
  expect(describeTurnedOnReach({ reach: { ...REACH, ...reach } }, "for everyone")).toBe(text);
});

test("describeArchiving() says where flags turn off", () => {
  const inEnvironments = (...on: readonly string[]) => ({
    environments: ["development", "production"].map((name) => ({
      name,
      enabled: on.includes(name),
    })),
  });
  expect(describeArchiving([inEnvironments()])).toBeUndefined();
  expect(describeArchiving([inEnvironments("development", "production")])).toBe(
    "This turns the flag off for everyone in development and production.",
  );
  const flags = [inEnvironments("production"), inEnvironments("production"), inEnvironments()];
  expect(describeArchiving(flags)).toBe("This turns 2 flags off for everyone in production.");
  expect(describeArchiving([...flags, inEnvironments("development")])).toBe(
    "This turns 1 flag off for everyone in development and 2 flags in production.",
  );
});

test("describeDependencyChange() says when the flag is off", () => {
  const environments = ["eu", "us"];
  expect(describeDependencyChange({ environments, condition: "search is on" })).toBe(
    "In eu and us, this turns the flag off for everyone, unless search is on.",
  );
  expect(describeDependencyChange({ environments, condition: undefined })).toBe(
    "In eu and us, only the strategies of the flag then decide for whom it is on.",
  );
});

test("describeSegmentChange() lists the flags, the first ones by name", () => {
  const uses = (...flags: readonly string[]) =>
    flags.map((flag) => ({ flag, environment: "production" }));
  expect(describeSegmentChange([])).toBeUndefined();
  expect(describeSegmentChange(uses("b", "a", "a"))).toBe(
    "This changes at once who gets a and b in production.",
  );
  expect(describeSegmentChange(uses("a", "b", "c", "d", "e"))).toBe(
    "This changes at once who gets a, b, c and 2 other flags in production.",
  );
});

test("describeImport() says where flags change", () => {
  expect(describeImport(0, ["production"])).toBeUndefined();
  expect(describeImport(2, [])).toBeUndefined();
  expect(describeImport(2, ["production"])).toBe(
    "This changes at once who gets 2 flags in production.",
  );
});

test.each([
  [
    true,
    [quarter],
    true,
    [half],
    "In production, this turns the flag on for 25% of users, instead of for 50% of users.",
  ],
  [
    true,
    [quarter],
    true,
    [quarter],
    "This changes the flag in production, where it is on for 25% of users.",
  ],
  [true, [quarter], false, [half], "This turns the flag on for 25% of users in production."],
  [true, [], false, [], "This turns the flag on for everyone in production."],
  [true, [], true, [half], "This turns the flag off for everyone in production."],
  [false, [quarter], true, [half], "This turns the flag off for everyone in production."],
  [
    false,
    [quarter],
    false,
    [half],
    "The flag stays off in production: this takes effect when somebody turns it on.",
  ],
])(
  "describeCopy() of rules that are on: %j, %j, to those that are on: %j, %j",
  (enabled, strategies, wasEnabled, own, text) => {
    const before = { name: "production", enabled: wasEnabled, strategies: own };
    expect(describeCopy({ enabled, strategies }, before, NAMES)).toBe(text);
  },
);
