import { expect, test } from "vitest";
import type { Constraint, Strategy } from "../api/types.ts";
import { fieldsOfFlag } from "./context.ts";

const strategy: Strategy = {
  id: "1",
  name: "default",
  title: null,
  disabled: false,
  parameters: {},
  constraints: [],
  segments: [],
  variants: [],
  sortOrder: 0,
};

test.each<[string, Partial<Strategy>, readonly string[]]>([
  ["default", {}, []],
  ["userWithId", {}, ["userId"]],
  ["remoteAddress", {}, ["remoteAddress"]],
  ["applicationHostname", {}, []],
  ["gradualRolloutUserId", {}, ["userId"]],
  ["gradualRolloutSessionId", {}, ["sessionId"]],
  ["gradualRolloutRandom", {}, []],
  ["flexibleRollout", {}, ["userId"]],
  ["flexibleRollout", { parameters: { stickiness: "random" } }, []],
  ["flexibleRollout", { parameters: { stickiness: "companyId" } }, ["companyId"]],
  ["constructor", { parameters: { stickiness: "companyId" } }, []],
])("a flag with the strategy %s and %j reads the fields %j", (name, changes, expected) => {
  const strategies = [{ ...strategy, name, ...changes }];
  expect(fieldsOfFlag({ environments: [{ strategies }] }, [])).toEqual(expected);
});

test("a flag reads the fields of its strategies, their constraints, segments and variants once", () => {
  const on = (contextName: string): Constraint => ({
    contextName,
    operator: "IN",
    values: ["a"],
    inverted: false,
    caseInsensitive: false,
  });
  const strategies: Strategy[] = [
    {
      ...strategy,
      constraints: [on("country"), on("environment")],
      segments: [7],
      variants: [{ name: "a", weight: 1000, weightType: "variable", stickiness: "companyId" }],
    },
    { ...strategy, name: "userWithId", constraints: [on("country")] },
  ];
  const segments = [{ id: 7, constraints: [on("plan")] }];
  expect(fieldsOfFlag({ environments: [{ strategies }] }, segments)).toEqual([
    "country",
    "plan",
    "companyId",
    "userId",
  ]);
});
