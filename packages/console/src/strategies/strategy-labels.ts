import { toPercentage } from "../../../engine/src/strategies/check-parameters.ts";
import {
  STRATEGY_TYPES,
  type StrategyName,
  type ListName,
} from "../../../engine/src/strategies/strategy-table.ts";
import type { StrategyType } from "../api/types.ts";
import { ownValue } from "../ui/own-value.ts";

/** A parameter of a strategy that is edited with a general field. */
export interface Parameter {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "list" | "number" | "boolean" | "percentage" | "rollout";
  readonly description: string;
  readonly isRequired: boolean;
}

interface BuiltInType {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
}

const list = (type: ListName, label: string, description: string): Parameter => ({
  name: STRATEGY_TYPES[type].parameter,
  label,
  kind: "list",
  description: `${description} Separate them with commas or line breaks.`,
  isRequired: true,
});

const PERCENTAGE: Parameter = {
  name: "percentage",
  label: "Percentage",
  kind: "rollout",
  description: "",
  isRequired: true,
};
const GROUP: Parameter = {
  name: "groupId",
  label: "Group id",
  kind: "text",
  description: "Flags with the same group id are on for the same users.",
  isRequired: false,
};

/** The strategy for gradual rollouts. Its parameters have fields of their own. */
export const ROLLOUT = "flexibleRollout" satisfies StrategyName;

const BUILT_IN: Readonly<Record<StrategyName, BuiltInType>> = {
  [ROLLOUT]: {
    name: "Gradual rollout",
    description: "On for a percentage of users, who keep it while you increase the percentage.",
    parameters: [],
  },
  default: { name: "Everyone", description: "On for everyone.", parameters: [] },
  userWithId: {
    name: "User ids",
    description: "On for the users that you list.",
    parameters: [list("userWithId", "User ids", "The flag is on for these users.")],
  },
  remoteAddress: {
    name: "IP addresses",
    description: "On for the addresses and networks that you list.",
    parameters: [
      list("remoteAddress", "IP addresses", "Addresses or networks, for example 10.0.0.0/8."),
    ],
  },
  applicationHostname: {
    name: "Hostnames",
    description: "On for applications on the hosts that you list.",
    parameters: [
      list("applicationHostname", "Hostnames", "Names of the hosts that run the application."),
    ],
  },
  gradualRolloutUserId: {
    name: "Rollout by user id",
    description: "On for a percentage of user ids. Gradual rollout replaces it.",
    parameters: [PERCENTAGE, GROUP],
  },
  gradualRolloutSessionId: {
    name: "Rollout by session id",
    description: "On for a percentage of sessions. Gradual rollout replaces it.",
    parameters: [PERCENTAGE, GROUP],
  },
  gradualRolloutRandom: {
    name: "Random rollout",
    description: "On for a percentage of evaluations. Gradual rollout replaces it.",
    parameters: [PERCENTAGE],
  },
};

/** What the entries of a list are, in a sentence. */
export interface EntryWords {
  readonly one: string;
  readonly many: string;
}

const ENTRY_WORDS: Readonly<Record<ListName, EntryWords>> = {
  userWithId: { one: "the user", many: "the users" },
  remoteAddress: { one: "the address", many: "the addresses" },
  applicationHostname: { one: "the host", many: "the hosts" },
};

/** Returns what the entries of the list of a strategy are. */
export function describeEntries(name: string): EntryWords {
  return ownValue(ENTRY_WORDS, name) ?? { one: "the value", many: "the values" };
}

/** Returns the name and the description of a type of strategy. */
export function describeStrategyType(
  name: string,
  types: readonly StrategyType[],
): { readonly name: string; readonly description: string } {
  const builtIn = ownValue(BUILT_IN, name);
  if (builtIn !== undefined) return builtIn;
  const custom = types.find((type) => type.name === name);
  return {
    name: textOr(custom?.title, name),
    description: textOr(
      custom?.description,
      "A custom strategy, which your applications implement.",
    ),
  };
}

function textOr(text: string | null | undefined, otherwise: string): string {
  return text === null || text === undefined || text === "" ? otherwise : text;
}

/** Returns the parameters of a type that have general fields. */
export function parametersOf(name: string, types: readonly StrategyType[]): readonly Parameter[] {
  const builtIn = ownValue(BUILT_IN, name);
  if (builtIn !== undefined) return builtIn.parameters;
  const declared: readonly Readonly<Record<string, unknown>>[] =
    types.find((type) => type.name === name)?.parameters ?? [];
  return declared.flatMap((parameter) => parseDeclared(parameter) ?? []);
}

const KINDS: Readonly<Record<string, Parameter["kind"]>> = {
  list: "list",
  number: "number",
  boolean: "boolean",
  percentage: "percentage",
};

/** NOTE: declarations of migrated strategies can contain anything. */
function parseDeclared(declared: Readonly<Record<string, unknown>>): Parameter | undefined {
  const { name, type, description, required } = declared;
  if (typeof name !== "string" || name === "") return undefined;
  return {
    name,
    label: name,
    kind: ownValue(KINDS, String(type)) ?? "text",
    description: typeof description === "string" ? description : "",
    isRequired: required === true,
  };
}

/** Returns the entries of a parameter that is a list. */
export function parseListParameter(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Returns the part of a rollout that takes effect: a fraction of a percent is ignored. */
export function wholePercentage(text: string): number {
  return toPercentage(text) || 0;
}
