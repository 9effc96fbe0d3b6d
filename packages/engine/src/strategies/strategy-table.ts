/** What a type of strategy matches, apart from constraints and segments. */
export type StrategyDescription = EveryoneType | RolloutType | ListType;

type RolloutName =
  | "gradualRolloutRandom"
  | "gradualRolloutUserId"
  | "gradualRolloutSessionId"
  | "flexibleRollout";

export type ListName = "applicationHostname" | "userWithId" | "remoteAddress";

export type StrategyName = "default" | RolloutName | ListName;

interface EveryoneType {
  readonly kind: "everyone";
}

export interface RolloutType {
  readonly kind: "rollout";
  readonly parameter: string;
  /** The stickiness; undefined if the parameter `stickiness` contains it. */
  readonly stickiness?: "userId" | "sessionId" | "random";
  /** Whether `flexibleRollout` replaces it. @default false */
  readonly isDeprecated?: boolean;
}

export interface ListType {
  readonly kind: "list";
  /** The parameter that contains the list, separated by commas. */
  readonly parameter: string;
  /** The context field that the list is compared with; undefined for the name of the host. */
  readonly field?: "userId" | "remoteAddress";
  readonly entries: EntryKind;
}

export type EntryKind = "userIds" | "hostNames" | "addressRanges";

/**
 * The built-in types of strategies by their exact names in documents.
 *
 * To add a type:
 *
 * 1. Describe it here. The type checker then requires its implementation in `implementations.ts`, its names in
 *    `console/src/strategies/strategy-labels.ts`, and random parameters in `engine/test/_random-strategy.ts`.
 *    `flags-admin`, the playground and `flags-proxy compare` read this table.
 * 2. If it is of a new kind, explain it in `explain/explain-strategy.ts`, and handle it in
 *    `admin/src/domain/strategies/check-strategy.ts`.
 * 3. Add it to the table in `docs/background/concepts.md`.
 *
 * NOTE: the console bundles this file, so it imports nothing.
 */
export const STRATEGY_TYPES: Readonly<
  Record<"default", EveryoneType> & Record<RolloutName, RolloutType> & Record<ListName, ListType>
> = {
  default: { kind: "everyone" },
  applicationHostname: { kind: "list", parameter: "hostNames", entries: "hostNames" },
  gradualRolloutRandom: {
    kind: "rollout",
    parameter: "percentage",
    stickiness: "random",
    isDeprecated: true,
  },
  gradualRolloutUserId: {
    kind: "rollout",
    parameter: "percentage",
    stickiness: "userId",
    isDeprecated: true,
  },
  gradualRolloutSessionId: {
    kind: "rollout",
    parameter: "percentage",
    stickiness: "sessionId",
    isDeprecated: true,
  },
  userWithId: { kind: "list", parameter: "userIds", field: "userId", entries: "userIds" },
  remoteAddress: {
    kind: "list",
    parameter: "IPs",
    field: "remoteAddress",
    entries: "addressRanges",
  },
  flexibleRollout: { kind: "rollout", parameter: "rollout" },
};

/** The names of the built-in types, which clients send to the upstream when they register. */
export const BUILT_IN_STRATEGY_NAMES: readonly string[] = Object.keys(STRATEGY_TYPES);

/** Returns the description of a built-in type; undefined for any other name. */
export function findStrategyType(name: string): StrategyDescription | undefined {
  return isStrategyName(name) ? STRATEGY_TYPES[name] : undefined;
}

function isStrategyName(name: string): name is StrategyName {
  return Object.hasOwn(STRATEGY_TYPES, name);
}
