import type { ActionName, RequestedChange } from "../api/types.ts";
import { fieldsOf, textAt } from "../../../admin/src/event-words/recorded-state.ts";
import { describeRecordedSteps } from "../events/recorded-words.ts";
import { describeStrategyType } from "../strategies/strategy-labels.ts";

interface Described {
  readonly change: Pick<RequestedChange, "action" | "events" | "payload">;
  /** The name of the flag; empty for changes of segments, and for imports. */
  readonly flag: string;
  /** The environment of the request. */
  readonly environment: string;
}

/** Says in one sentence what a requested change does, for example "Turn on checkout in production". */
export function describeRequestedChange(described: Described): string {
  return SENTENCES[described.change.action](described);
}

/** The compiler requires every action. */
const SENTENCES: Readonly<Record<ActionName, (described: Described) => string>> = {
  updateEnabled: ({ change, flag, environment }) =>
    `Turn ${fieldsOf(change.payload)["enabled"] === true ? "on" : "off"} ${flag} in ${environment}`,
  addStrategy: ({ change, flag, environment }) =>
    `Add ${strategyIn(change.payload)} to ${flag} in ${environment}`,
  updateStrategy: ({ change, flag, environment }) =>
    `Change ${strategyIn(change.payload)} of ${flag} in ${environment}`,
  deleteStrategy: ({ change, flag, environment }) =>
    `Remove ${strategyIn(stateBefore(change))} from ${flag} in ${environment}`,
  setRolloutPlan: ({ change, flag, environment }) =>
    `Roll out a strategy of ${flag} in ${environment} in steps: ${describeRecordedSteps(change.payload)}`,
  reorderStrategy: ({ flag, environment }) =>
    `Change the order of the strategies of ${flag} in ${environment}`,
  patchVariant: ({ flag, environment }) => `Change the variants of ${flag} in ${environment}`,
  replaceRules: ({ change, flag, environment }) => {
    const { enabled } = fieldsOf(change.payload);
    const state = typeof enabled === "boolean" ? `, and turn it ${enabled ? "on" : "off"}` : "";
    return `Replace the strategies and variants of ${flag} in ${environment}${state}`;
  },
  archiveFeature: ({ flag }) => `Archive ${flag}`,
  reviveFeature: ({ flag }) => `Revive ${flag} from the archive`,
  moveFeature: ({ change, flag }) =>
    `Move ${flag} to the project ${textAt(change.payload, "newProjectId")}`,
  addDependency: ({ change, flag }) =>
    `Make ${flag} depend on ${textAt(change.payload, "feature")}`,
  deleteDependency: ({ flag }) => `Remove the dependency of ${flag}`,
  updateSegment: ({ change }) => `Change the segment ${textAt(change.payload, "name")}`,
  deleteSegment: ({ change }) => `Delete the segment ${textAt(stateBefore(change), "name")}`,
  importProject: () => "Import flags into all environments of a file",
};

/** Returns the state of what a change deletes. */
function stateBefore({ events }: Described["change"]): unknown {
  return events.find(({ preData }) => preData !== null)?.preData;
}

function strategyIn(state: unknown): string {
  const title = textAt(state, "title", "");
  if (title !== "") return `the strategy “${title}”`;
  return `a strategy (${describeStrategyType(textAt(state, "name"), []).name})`;
}
