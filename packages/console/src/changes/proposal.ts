import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type {
  ActionName,
  ChangeRequest,
  ChangeRequestSummary,
  Flag,
  Project,
} from "../api/types.ts";
import { describeCount } from "../ui/numbers.ts";
import { formatTime } from "../ui/times.ts";
import { joinWithAnd } from "../ui/words.ts";

/** A change as a part of a change request. */
export interface ProposedChange {
  /** The name of the flag; absent for changes of segments. */
  readonly feature?: string;
  readonly action: ActionName;
  readonly payload?: unknown;
}

/** An environment of a project. */
interface Place {
  readonly project: string;
  readonly environment: string;
}

/** What a change of flags would be as a part of a change request, and where it changes results. */
export interface Proposal {
  /** Where it can change for whom flags are on. */
  readonly places: readonly Place[];
  /** The project whose request it joins. @default the one of the place that requires the most approvals */
  readonly project?: string;
  readonly changes: readonly ProposedChange[];
  /** Whether it is made at once even where changes require approvals. @default false */
  readonly isUrgent?: boolean;
}

/** Where a change requires approvals, and how many. */
export interface Requirement extends Place {
  readonly approvals: number;
}

/** Returns environments of a project as places. */
export function placesIn(project: string, environments: readonly string[]): readonly Place[] {
  return environments.map((environment) => ({ project, environment }));
}

/** Returns a change of a flag as a whole: it concerns the environments in which the flag has strategies. */
export function proposeForFlag(
  { project, name, environments }: Pick<Flag, "environments" | "name" | "project">,
  change: Omit<ProposedChange, "feature">,
): Proposal {
  const used = environments.filter(({ strategies }) => strategies.length > 0);
  return {
    places: placesIn(
      project,
      used.map((environment) => environment.name),
    ),
    changes: [{ ...change, feature: name }],
  };
}

/** Returns a function that says how many approvals changes in an environment of a project require: 0 if none. */
export function useRequiredApprovals(): (project: string, environment: string) => number {
  const { data: projects = [] } = useQuery(queries.projects());
  return (project, environment) => approvalsIn(projects, project, environment);
}

function approvalsIn(projects: readonly Project[], project: string, environment: string): number {
  const places = projects.find(({ id }) => id === project)?.changeRequestEnvironments ?? [];
  return places.find(({ name }) => name === environment)?.requiredApprovals ?? 0;
}

/** Finds the place that requires the most approvals for a change; undefined if none requires any. */
function findRequirement(
  projects: readonly Project[],
  { places, project }: Proposal,
): Requirement | undefined {
  const [first] = places
    .map((place) => ({
      ...place,
      approvals: approvalsIn(projects, place.project, place.environment),
    }))
    .filter(({ approvals }) => approvals > 0)
    .toSorted((one, other) => other.approvals - one.approvals);
  return first === undefined ? undefined : { ...first, project: project ?? first.project };
}

/** Like `useRequirement()`, at this moment. */
export function readRequirement(client: QueryClient, proposal: Proposal): Requirement | undefined {
  const projects = client.getQueryData(queries.projects().queryKey)?.projects ?? [];
  return findRequirement(projects, proposal);
}

/** Returns where a change requires approvals; undefined if nowhere, or if it is made at once nevertheless. */
export function useRequirement(proposal: Proposal | undefined): Requirement | undefined {
  const { data: projects = [] } = useQuery(queries.projects());
  if (proposal === undefined || proposal.isUrgent === true) return undefined;
  return findRequirement(projects, proposal);
}

/** Changes that were added to the caller's draft, or to a new one. */
export interface Added {
  readonly request: ChangeRequest;
  readonly changeIds: readonly number[];
}

/** Adds changes to the caller's draft for an environment. */
export async function addToDraft(
  { changes }: Proposal,
  { project, environment }: Place,
): Promise<Added> {
  const draft = await request<ChangeRequest>(
    adminPath`/projects/${project}/environments/${environment}/change-requests`,
    { method: "POST", body: changes },
  );
  const ids = [...draft.features.flatMap((one) => one.changes), ...draft.segments]
    .map(({ id }) => id)
    .toSorted((one, other) => one - other);
  return { request: draft, changeIds: ids.slice(-changes.length) };
}

/** Removes changes that have been added to a draft. */
export async function removeFromDraft({
  request: { project, id },
  changeIds,
}: Added): Promise<void> {
  for (const changeId of changeIds.toReversed()) {
    // oxlint-disable-next-line no-await-in-loop -- a change may depend on the previous one
    await request(
      adminPath`/projects/${project}/change-requests/${String(id)}/changes/${String(changeId)}`,
      { method: "DELETE" },
    );
  }
}

/** Says that changes of the same flags are scheduled, which a change by hand can suspend; undefined if none is. */
function describeSchedules(
  open: readonly ChangeRequestSummary[],
  { places, changes }: Proposal,
): string | undefined {
  const flags = new Set(changes.flatMap(({ feature }) => feature ?? []));
  const times = open.flatMap(({ project, environment, features, schedule }) =>
    schedule !== undefined &&
    schedule.status !== "suspended" &&
    places.some((place) => place.project === project && place.environment === environment) &&
    features.some(({ name }) => flags.has(name))
      ? [schedule.scheduledAt]
      : [],
  );
  if (times.length === 0) return undefined;
  const subject = flags.size === 1 ? "this flag" : "these flags";
  return `${describeCount(times.length, "change")} of ${subject} ${times.length === 1 ? "is" : "are"} scheduled for ${joinWithAnd(times.map(formatTime))}. Changing the same by hand suspends ${times.length === 1 ? "it" : "them"}.`;
}

/** Like `useScheduleWarning()`, at this moment, if a page has loaded the open requests. */
export function readScheduleWarning(client: QueryClient, proposal: Proposal): string | undefined {
  const projects = new Set(proposal.places.map(({ project }) => project));
  const open = [...projects].flatMap(
    (project) => client.getQueryData(changeRequestQueries.open(project).queryKey) ?? [],
  );
  return describeSchedules(open, proposal);
}

/** The requested changes that can give a flag a strategy. */
const ADDING: readonly ActionName[] = ["addStrategy", "replaceRules"];

/** Whether the user's draft gives a flag a strategy in an environment, if a page has loaded the open requests. */
export function isGivenStrategy(
  client: QueryClient,
  flag: string,
  { project, environment }: Place,
): boolean {
  const open = client.getQueryData(changeRequestQueries.open(project).queryKey) ?? [];
  return open.some(
    (request) =>
      request.state === "Draft" &&
      request.environment === environment &&
      request.features.some(
        ({ name, changes }) =>
          name === flag && changes.some(({ action }) => ADDING.includes(action)),
      ),
  );
}

/** Says that changes of the same flags are scheduled. */
function useScheduleWarning(proposal: Proposal | undefined): string | undefined {
  const client = useQueryClient();
  return proposal === undefined ? undefined : readScheduleWarning(client, proposal);
}

interface DialogWords {
  /** The label of the button that submits. */
  readonly submit: string;
  readonly consequence?: string | undefined;
  readonly isDangerous?: boolean;
}

/** Returns what a dialog says about a change: that it is requested if it requires approvals, or what it does. */
export function useDialogWords(proposal: Proposal | undefined, words: DialogWords): DialogWords {
  const requirement = useRequirement(proposal);
  const warning = useScheduleWarning(proposal);
  if (requirement !== undefined) {
    return { submit: ADD, consequence: describeRequirement(requirement), isDangerous: false };
  }
  const sentences = [words.consequence, warning].filter((text) => text !== undefined);
  return { ...words, consequence: sentences.length === 0 ? undefined : sentences.join(" ") };
}

/** The label of buttons that request a change. */
export const ADD = "Add to change request";

/** Says what a change requires. */
export function describeRequirement({ environment, approvals }: Requirement): string {
  return `Changes in ${environment} require ${describeCount(approvals, "approval")}. Nothing changes until your request is approved and applied.`;
}
