import {
  ADDRESSES,
  FIELDS,
  MOMENTS,
  NUMBERS,
  ODD_ADDRESSES,
  ODD_MOMENTS,
  ODD_NUMBERS,
  ODD_VERSIONS,
  PLANS,
  REGIONS,
  SESSION_IDS,
  TEXTS,
  USER_IDS,
  VERSIONS,
} from "./_random-values.ts";
import type { Json } from "./_random-constraint.ts";
import type { Choices } from "./_random.ts";

/** Other forms of IPv6 are excluded, see differential.test.ts. The field `ip` has them. */
const ODD_IPV4 = ODD_ADDRESSES.filter((address) => !address.includes(":"));

const ODD_IDS = ["", 5, 0, 1, true, false, null, undefined, " 1", "1 "] as const;

/** The usual values of the fields, and odd values of some fields. */
const VALUES: Readonly<
  Record<string, readonly [usual: readonly unknown[], odd?: readonly unknown[]]>
> = {
  userId: [USER_IDS],
  sessionId: [SESSION_IDS],
  region: [REGIONS],
  text: [TEXTS],
  age: [[...NUMBERS, 5, 0, 10], ODD_NUMBERS],
  score: [[...NUMBERS, 5, 0, 10], ODD_NUMBERS],
  version: [VERSIONS, ODD_VERSIONS],
  appVersion: [VERSIONS, ODD_VERSIONS],
  ip: [ADDRESSES, ODD_ADDRESSES],
  remoteAddress: [ADDRESSES, ODD_IPV4],
};

export function randomContext(choices: Choices): Json {
  const context: Json = {};
  if (choices.chance(0.75)) context["userId"] = orOdd(choices, USER_IDS, ODD_IDS);
  if (choices.chance(0.4)) context["sessionId"] = orOdd(choices, SESSION_IDS, ODD_IDS);
  if (choices.chance(0.6)) context["remoteAddress"] = orOdd(choices, ADDRESSES, ODD_IPV4);
  if (choices.chance(0.5)) context["currentTime"] = randomMoment(choices);
  if (choices.chance(0.3)) context["environment"] = orOdd(choices, PLANS, [null, undefined, ""]);
  if (choices.chance(0.3)) context["appName"] = orOdd(choices, PLANS, [null, undefined, 5]);
  if (choices.chance(0.05)) context["featureToggle"] = choices.pick(["g1", "", 5]);
  if (choices.chance(0.9)) context["properties"] = randomProperties(choices);
  if (choices.chance(0.3)) shadowProperty(context, choices);
  return context;
}

function orOdd(choices: Choices, usual: readonly unknown[], odd: readonly unknown[]): unknown {
  return choices.pick(choices.chance(0.85) ? usual : odd);
}

function randomMoment(choices: Choices): unknown {
  return choices.weighted<unknown>([
    [60, choices.pick(MOMENTS)],
    [10, new Date(choices.pick(MOMENTS))],
    [10, choices.pick([1_640_995_200_000, 1, 0, -1])],
    [10, choices.pick(ODD_MOMENTS)],
    [5, choices.pick([null, undefined, true, false, Number.NaN])],
  ]);
}

function randomProperties(choices: Choices): unknown {
  if (choices.chance(0.02)) return choices.pick([null, undefined, "text", []]);
  const properties: Json = {};
  for (const field of [...FIELDS.text, ...FIELDS.number, ...FIELDS.version, ...FIELDS.address]) {
    if (choices.chance(field === "text" ? 0.9 : 0.6)) {
      properties[field] = randomValue(field, choices);
    }
  }
  if (choices.chance(0.05)) properties["random"] = "a field like any other";
  if (choices.chance(0.05)) properties["currentTime"] = choices.pick(MOMENTS);
  return properties;
}

/** Sets a field at the top level too, where it takes precedence unless it is null or undefined. */
function shadowProperty(context: Json, choices: Choices): void {
  const field = choices.pick(["region", "plan", "age", "version", "ip", "text", "score"]);
  context[field] = choices.chance(0.3)
    ? choices.pick([null, undefined, ""])
    : randomValue(field, choices);
}

function randomValue(field: string, choices: Choices): unknown {
  if (choices.chance(0.06)) return oddValue(choices);
  return choices.pick<unknown>(valuesOf(field, choices));
}

function valuesOf(field: string, choices: Choices): readonly unknown[] {
  const values = VALUES[field] ?? [PLANS];
  return choices.chance(0.85) ? values[0] : (values[1] ?? values[0]);
}

function oddValue(choices: Choices): unknown {
  return choices.pick<unknown>([
    null,
    undefined,
    "",
    " ",
    true,
    false,
    0,
    5,
    1.5,
    1e21,
    ["a", "b"],
    { a: 1 },
    new Date(0),
  ]);
}
