import { ALL_FIELDS, REGIONS, STICKINESS, USER_IDS } from "./_random-values.ts";
import { dropUndefined } from "./_random-constraint.ts";
import type { Json } from "./_random-constraint.ts";
import type { Choices } from "./_random.ts";

const WEIGHTS = [
  [500, 500],
  [1000],
  [333, 333, 334],
  [1, 1, 1],
  [100, 200, 300],
  [0, 1000],
  [1000, 0, 0],
  [0, 0],
  [0],
  [50, 0, 50],
  [-5, 10],
  [10, -5],
  [-10],
  [0.5, 0.5],
  [2.5],
  [0.5, 1.5, 8],
  [2 ** 31 - 2, 1],
  [2 ** 31, 2 ** 31],
  [3e9, -2.9e9],
  [undefined, 10],
  [10, undefined],
  [null, 10],
  [10, null, 5],
] as const;

const NAMES = ["red", "green", "blue", "disabled", "ø", ""] as const;

const PAYLOADS = [
  { type: "string", value: "text" },
  { type: "string", value: "" },
  { type: "json", value: '{"a":1}' },
  { type: "csv", value: "a,b" },
  { type: "number", value: "5" },
  null,
  undefined,
  undefined,
] as const;

export function randomVariants(choices: Choices): Json[] {
  return choices.pick(WEIGHTS).map((weight) =>
    dropUndefined({
      name: choices.pick(NAMES),
      weight,
      weightType: choices.pick(["variable", "fix"]),
      stickiness: randomStickiness(choices),
      payload: choices.pick(PAYLOADS),
      overrides: randomOverrides(choices),
    }),
  );
}

export function randomStickiness(choices: Choices): unknown {
  return choices.weighted<unknown>([
    [70, choices.pick(STICKINESS)],
    [20, undefined],
    [4, null],
    [2, 5],
  ]);
}

function randomOverrides(choices: Choices): unknown {
  if (choices.chance(0.75)) return choices.pick([undefined, undefined, null, []]);
  return choices.list(1 + choices.integer(2), () => randomOverride(choices));
}

function randomOverride(choices: Choices): Json {
  const contextName = choices.pick(["userId", "region", ...ALL_FIELDS]);
  const values = choices.list(choices.integer(3), () =>
    choices.weighted<unknown>([
      [60, choices.pick(contextName === "region" ? REGIONS : USER_IDS)],
      [10, choices.pick(["", "5", "true", 5])],
    ]),
  );
  return choices.chance(0.02) ? { contextName } : { contextName, values };
}
