import { ownValue } from "../ui/own-value.ts";

interface FlagType {
  readonly name: string;
  readonly description: string;
}

/** The types of flags. They have no effect on evaluation. */
export const FLAG_TYPES: Readonly<Record<string, FlagType>> = {
  release: { name: "Release", description: "Rolls out a new feature and is removed afterwards" },
  experiment: { name: "Experiment", description: "Compares variants" },
  operational: {
    name: "Operational",
    description: "Controls the transition from one implementation to another",
  },
  "kill-switch": {
    name: "Kill switch",
    description: "Turns off a part of the system that causes problems",
  },
  permission: {
    name: "Permission",
    description: "Makes a feature available to some users permanently",
  },
  sunset: { name: "Sunset", description: "Retires an old feature step by step" },
};

/** Returns the name and the purpose of a type. */
export function describeType(id: string): FlagType {
  return ownValue(FLAG_TYPES, id) ?? { name: id, description: "" };
}
