import { BUILT_IN_STRATEGY_NAMES, STRATEGY_TYPES } from "../src/strategies/strategy-table.ts";
import type { ListName } from "../src/strategies/strategy-table.ts";
import { dropUndefined, randomConstraint } from "./_random-constraint.ts";
import type { Json } from "./_random-constraint.ts";
import {
  ADDRESSES,
  ALL_FIELDS,
  HOST_NAME,
  RANGES,
  REGIONS,
  SESSION_IDS,
  STICKINESS,
  USER_IDS,
} from "./_random-values.ts";
import type { Choices } from "./_random.ts";

const UNKNOWN = ["unknown", "Default", "", undefined, null, 5] as const;
const PERCENTAGES = ["0", "1", "25", "50", 50, "75", "99", "100", 100] as const;
const ODD_PERCENTAGES = [
  " 50 ",
  "50%",
  "",
  null,
  undefined,
  "1e2",
  "0x32",
  "-1",
  1000,
  "50.5",
  "0.5",
  true,
  false,
  "Infinity",
] as const;

const PERCENTAGE_PARAMETERS = Object.values(STRATEGY_TYPES).flatMap((type) =>
  type.kind === "rollout" ? [type.parameter] : [],
);

/** Entries of lists of which some match. */
const LIST_ENTRIES: Readonly<Record<ListName, readonly string[]>> = {
  userWithId: USER_IDS,
  // IPv6 ranges are excluded, see differential.test.ts.
  remoteAddress: [...ADDRESSES, ...RANGES.filter((range) => !range.includes(":")), "garbage"],
  applicationHostname: [HOST_NAME, HOST_NAME.toUpperCase(), "elsewhere"],
};

const LIST_PARAMETERS = Object.entries(LIST_ENTRIES).map(([name, entries]) => ({
  parameter: STRATEGY_TYPES[name as ListName].parameter,
  entries,
}));

const GROUPS = ["g1", "g2", "alpha", "groupe é", "旗", "", undefined, null, 5, 0, true] as const;

export const SEGMENT_IDS = [1, 2, 3, 4, "1", "two"] as const;

export function randomStrategy(choices: Choices, customNames: readonly string[]): unknown {
  if (choices.chance(0.002)) return choices.pick([null, "default", 5]);
  return dropUndefined({
    id: "ignored",
    title: "ignored",
    ...bareStrategy(choices, customNames),
    constraints: randomConstraints(choices),
    segments: randomSegmentIds(choices),
    variants: choices.chance(0.3) ? randomVariants(choices) : choices.pick([[], null, undefined]),
  });
}

/** A strategy without constraints and variants, so that it alone determines the result. */
export function bareStrategy(choices: Choices, customNames: readonly string[]): Json {
  const name = choices.weighted<unknown>([
    [
      84,
      choices.pick(["default", "flexibleRollout", "flexibleRollout", ...BUILT_IN_STRATEGY_NAMES]),
    ],
    [12, choices.pick([...customNames, "default"])],
    [4, choices.pick(UNKNOWN)],
  ]);
  return dropUndefined({ name, parameters: randomParameters(choices) });
}

function randomConstraints(choices: Choices): unknown {
  const length = choices.pick([0, 0, 0, 1, 1, 2, 3]);
  if (length > 0) return choices.list(length, () => randomConstraint(choices));
  return choices.weighted<unknown>([
    [60, []],
    [30, undefined],
    [5, null],
    [1, choices.pick(["IN", {}, 5])],
  ]);
}

function randomSegmentIds(choices: Choices): unknown {
  return choices.weighted<unknown>([
    [40, undefined],
    [30, []],
    [28, choices.list(1 + choices.integer(2), () => choices.pick(SEGMENT_IDS))],
    [2, choices.pick([null, [99], [null], [{ id: 1 }], ["1", 1]])],
    [0.5, choices.pick(["1", 5, {}])],
  ]);
}

function randomParameters(choices: Choices): unknown {
  if (choices.chance(0.02)) return choices.pick([undefined, null, "text"]);
  const percentage = choices.pick<unknown>(choices.chance(0.8) ? PERCENTAGES : ODD_PERCENTAGES);
  return dropUndefined({
    ...Object.fromEntries(PERCENTAGE_PARAMETERS.map((parameter) => [parameter, percentage])),
    groupId: choices.pick(GROUPS),
    stickiness: randomStickiness(choices),
    ...Object.fromEntries(
      LIST_PARAMETERS.map(({ parameter, entries }) => [
        parameter,
        choices.chance(0.01) ? 5 : idList(choices, entries),
      ]),
    ),
    plan: choices.pick(["free", "pro", undefined]),
  });
}

function idList(choices: Choices, ids: readonly string[]): unknown {
  const separator = (): string => choices.pick([",", ",", ", ", " ,", ",,", "\t,\n"]);
  const items = choices.list(choices.pick([0, 1, 2, 4, 6]), () => choices.pick(ids));
  const text = items.reduce((list, id) => (list === "" ? id : `${list}${separator()}${id}`), "");
  return choices.weighted<unknown>([
    [80, text],
    [6, ` ${text} `],
    [4, `${text},`],
    [2, undefined],
    [2, null],
    [1, SESSION_IDS.join(";")],
  ]);
}

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

const VARIANT_NAMES = ["red", "green", "blue", "disabled", "ø", ""] as const;

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
      name: choices.pick(VARIANT_NAMES),
      weight,
      weightType: choices.pick(["variable", "fix"]),
      stickiness: randomStickiness(choices),
      payload: choices.pick(PAYLOADS),
      overrides: randomOverrides(choices),
    }),
  );
}

function randomStickiness(choices: Choices): unknown {
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
