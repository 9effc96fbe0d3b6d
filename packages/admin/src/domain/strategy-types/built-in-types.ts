import type { ParameterType } from "./schemas.ts";

/** A parameter of a strategy type, for tools that ask which ones they may send. */
export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly description: string;
  readonly required: boolean;
}

export interface StrategyTypeDescription {
  readonly displayName: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
}

const percentage = (name: string): Parameter => ({
  name,
  type: "percentage",
  description: "The percentage for which the flag is on, from 0 to 100",
  required: true,
});
const list = (name: string, description: string): Parameter => ({
  name,
  type: "list",
  description: `${description}, separated by commas`,
  required: true,
});
const groupId: Parameter = {
  name: "groupId",
  type: "string",
  description:
    "Flags with the same group id are on for the same ids. Default: the name of the flag",
  required: false,
};

const TYPES: ReadonlyMap<string, StrategyTypeDescription> = new Map([
  ["default", { displayName: "Standard", description: "On for everyone", parameters: [] }],
  [
    "flexibleRollout",
    {
      displayName: "Gradual rollout",
      description: "On for a percentage of users, sessions or other ids",
      parameters: [
        percentage("rollout"),
        {
          name: "stickiness",
          type: "string",
          description:
            "The context field that decides, `default` or `random`. Default: the stickiness of the project",
          required: false,
        },
        groupId,
      ],
    },
  ],
  [
    "userWithId",
    {
      displayName: "Users",
      description: "On for the users in a list",
      parameters: [list("userIds", "Ids of users")],
    },
  ],
  [
    "remoteAddress",
    {
      displayName: "Addresses",
      description: "On for clients at certain IP addresses",
      parameters: [list("IPs", "IP addresses, or ranges in CIDR notation")],
    },
  ],
  [
    "applicationHostname",
    {
      displayName: "Hosts",
      description: "On for applications that run on certain hosts",
      parameters: [list("hostNames", "Names of hosts")],
    },
  ],
  [
    "gradualRolloutUserId",
    {
      displayName: "Gradual rollout by user",
      description: "Replaced by flexibleRollout",
      parameters: [percentage("percentage"), groupId],
    },
  ],
  [
    "gradualRolloutSessionId",
    {
      displayName: "Gradual rollout by session",
      description: "Replaced by flexibleRollout",
      parameters: [percentage("percentage"), groupId],
    },
  ],
  [
    "gradualRolloutRandom",
    {
      displayName: "Random rollout",
      description: "Replaced by flexibleRollout",
      parameters: [percentage("percentage")],
    },
  ],
]);

/** Describes a built-in strategy type and its parameters. */
export function describeBuiltInType(name: string): StrategyTypeDescription {
  return TYPES.get(name) ?? { displayName: name, description: "", parameters: [] };
}
