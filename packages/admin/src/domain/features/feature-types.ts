/** What a flag is for, and how many days it is expected to be of use; null: for good. */
export const FEATURE_TYPES = [
  {
    id: "release",
    name: "Release",
    description: "Releases a change step by step",
    lifetimeDays: 40,
  },
  {
    id: "experiment",
    name: "Experiment",
    description: "Compares variants of a change",
    lifetimeDays: 40,
  },
  {
    id: "operational",
    name: "Operational",
    description: "Watches over the move to another way of doing the same",
    lifetimeDays: 7,
  },
  {
    id: "kill-switch",
    name: "Kill switch",
    description: "Takes functionality away when it does harm",
    lifetimeDays: null,
  },
  {
    id: "permission",
    name: "Permission",
    description: "Gives functionality to those who are entitled to it",
    lifetimeDays: null,
  },
  {
    id: "sunset",
    name: "Sunset",
    description: "Takes functionality out of use step by step",
    lifetimeDays: 90,
  },
] as const;
