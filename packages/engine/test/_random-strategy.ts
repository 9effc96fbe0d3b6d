import { ADDRESSES, HOST_NAME, RANGES, SESSION_IDS, USER_IDS } from "./_random-values.ts";
import { dropUndefined, randomConstraint } from "./_random-constraint.ts";
import type { Json } from "./_random-constraint.ts";
import { randomStickiness, randomVariants } from "./_random-variants.ts";
import type { Choices } from "./_random.ts";

export const BUILT_IN = [
  "default",
  "userWithId",
  "gradualRolloutUserId",
  "gradualRolloutSessionId",
  "gradualRolloutRandom",
  "flexibleRollout",
  "remoteAddress",
  "applicationHostname",
] as const;

const UNKNOWN = ["unknown", "Default", "", undefined, null, 5] as const;
const SHARES = ["0", "1", "25", "50", 50, "75", "99", "100", 100] as const;
const ODD_SHARES = [
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

/** A strategy that is all there is to a flag, so that the answer tells what it decided. */
export function bareStrategy(choices: Choices, customNames: readonly string[]): Json {
  const name = choices.weighted<unknown>([
    [84, choices.pick(["default", "flexibleRollout", "flexibleRollout", ...BUILT_IN])],
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
  const share = choices.pick<unknown>(choices.chance(0.8) ? SHARES : ODD_SHARES);
  const userIds = idList(choices, USER_IDS);
  return dropUndefined({
    rollout: share,
    percentage: share,
    groupId: choices.pick(GROUPS),
    stickiness: randomStickiness(choices),
    userIds: choices.chance(0.01) ? 5 : userIds,
    IPs: idList(choices, [...ADDRESSES, ...RANGES, "garbage"]),
    hostNames: idList(choices, [HOST_NAME, HOST_NAME.toUpperCase(), "elsewhere"]),
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
