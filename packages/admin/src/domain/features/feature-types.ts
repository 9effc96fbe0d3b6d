/** The purposes of flags, with the expected lifetime in days; null for permanent flags. */
export const FEATURE_TYPES = [
  {
    id: "release",
    name: "Release",
    description: "Releases a change gradually",
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
    description: "Controls the transition from one implementation to another",
    lifetimeDays: 7,
  },
  {
    id: "kill-switch",
    name: "Kill switch",
    description: "Turns off functionality that causes problems",
    lifetimeDays: null,
  },
  {
    id: "permission",
    name: "Permission",
    description: "Grants functionality to entitled users",
    lifetimeDays: null,
  },
  {
    id: "sunset",
    name: "Sunset",
    description: "Retires functionality gradually",
    lifetimeDays: 90,
  },
] as const;
