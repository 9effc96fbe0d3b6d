import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type ContextValues, toRequestContext } from "./request-context.ts";
import { adminPath, request, requestVersioned } from "./request.ts";
import type {
  AppAccess,
  Application,
  ApplicationDetails,
  ApplicationOverview,
  Evaluation,
  ArchivedFlag,
  ContextFieldSummary,
  EnvironmentSummary,
  Flag,
  FlagMovePreview,
  FlagSummary,
  InviteLink,
  ListedSession,
  OwnAccount,
  OwnProfile,
  OwnSession,
  Person,
  PersonalToken,
  PlaygroundFlag,
  Project,
  ProjectEnvironment,
  ProjectMember,
  ProjectStatus,
  ProjectSettings,
  RecordedEvent,
  RootRole,
  Segment,
  StrategyReference,
  StrategyType,
  TagDefinition,
  TagType,
  Token,
  Usage,
  User,
} from "./types.ts";

/**
 * What the console reads. The first part of a key names the resource: `changes/live-changes.ts` uses it to decide
 * what a change invalidates.
 */
export const queries = {
  /** The active projects, the favourites of the user first. */
  projects: () =>
    queryOptions({
      queryKey: ["projects"],
      queryFn: ({ signal }) =>
        request<{ projects: readonly Project[] }>(adminPath`/projects`, { signal }),
      select: selectFavoritesFirst,
    }),

  /** A project, with the ETag of its settings. */
  project: (id: string) =>
    queryOptions({
      queryKey: ["projects", "one", id],
      queryFn: ({ signal }) =>
        requestVersioned<ProjectSettings>(adminPath`/projects/${id}`, { signal }),
    }),

  /** How a project is doing. The key is one of events, because nearly every change affects it. */
  projectStatus: (id: string) =>
    queryOptions({
      queryKey: ["events", "status", id],
      queryFn: ({ signal }) =>
        request<ProjectStatus>(adminPath`/projects/${id}/status`, { signal }),
    }),

  /** Who has a role in a project. */
  projectMembers: (id: string) =>
    queryOptions({
      queryKey: ["access", id],
      queryFn: ({ signal }) =>
        request<{ users: readonly ProjectMember[] }>(adminPath`/projects/${id}/access`, { signal }),
      select: ({ users }) => users,
    }),

  /** Everybody who can get a role in a project. */
  people: () =>
    queryOptions({
      queryKey: ["users", "people"],
      queryFn: ({ signal }) =>
        request<{ users: readonly Person[] }>(adminPath`/user-admin/access`, { signal }),
      select: ({ users }) => users,
    }),

  archivedProjects: () =>
    queryOptions({
      queryKey: ["projects", "archived"],
      queryFn: ({ signal }) =>
        request<{ projects: readonly Project[] }>("api/admin/projects?archived=true", { signal }),
      select: ({ projects }) => projects,
    }),

  /** All environments, and whether the project contains them. */
  projectEnvironments: (project: string) =>
    queryOptions({
      queryKey: ["environments", "of-project", project],
      queryFn: ({ signal }) =>
        request<{ environments: readonly ProjectEnvironment[] }>(
          adminPath`/environments/project/${project}`,
          { signal },
        ),
      select: ({ environments }) => environments,
    }),

  environments: () =>
    queryOptions({
      queryKey: ["environments"],
      queryFn: ({ signal }) =>
        request<{ environments: readonly EnvironmentSummary[] }>(adminPath`/environments`, {
          signal,
        }),
      select: ({ environments }) => environments,
    }),

  flags: (project: string) =>
    queryOptions({
      queryKey: ["flags", project],
      queryFn: ({ signal }) =>
        request<{ features: readonly FlagSummary[] }>(adminPath`/projects/${project}/features`, {
          signal,
        }),
      select: ({ features }) => features,
    }),

  /** The names of flags of all projects that contain the text, up to 20. */
  flagNames: (text: string, project: string) =>
    queryOptions({
      queryKey: ["flags", "names", text, project],
      queryFn: ({ signal }) => {
        const parameters = new URLSearchParams({ limit: "20", sortBy: "name", query: text });
        if (project !== "") parameters.set("project", `IS:${project}`);
        return request<{ readonly features: readonly { readonly name: string }[] }>(
          `api/admin/search/features?${parameters.toString()}`,
          { signal },
        );
      },
      select: ({ features }) => features.map(({ name }) => name),
      placeholderData: keepPreviousData,
    }),

  /** The active flags of all projects that match, by page. */
  flagsOfAllProjects: (filter: FlagSearch) =>
    infiniteQueryOptions({
      queryKey: ["flags", "all", filter],
      queryFn: ({ signal, pageParam }) =>
        request<{ readonly features: readonly FlagSummary[]; readonly total: number }>(
          `api/admin/search/features?${toFlagSearch(filter, pageParam)}`,
          { signal },
        ),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const loaded = pages.reduce((sum, { features }) => sum + features.length, 0);
        return loaded < total ? loaded : undefined;
      },
      placeholderData: keepPreviousData,
    }),

  /** The first active or archived flags of all projects whose name or description contains the text. */
  foundFlags: (text: string, isArchived = false) =>
    queryOptions({
      queryKey: ["flags", "found", text, isArchived],
      queryFn: ({ signal }) =>
        request<FoundFlags>(`api/admin/search/features?${toFoundSearch(text, isArchived)}`, {
          signal,
        }),
      select: ({ features }) => features,
      placeholderData: keepPreviousData,
    }),

  archivedFlags: (project: string) =>
    queryOptions({
      queryKey: ["flags", project, "archived"],
      queryFn: ({ signal }) =>
        request<{ features: readonly ArchivedFlag[] }>(adminPath`/archive/features/${project}`, {
          signal,
        }),
      select: ({ features }) => features,
    }),

  /** A flag, also an archived one. */
  flag: (project: string, flag: string) =>
    queryOptions({
      queryKey: ["flag", project, flag],
      queryFn: ({ signal }) =>
        request<Flag>(`${adminPath`/projects/${project}/features/${flag}`}?archived=true`, {
          signal,
        }),
    }),

  /** What moving a flag to a project would do. */
  flagMove: (project: string, flag: string, newProjectId: string) =>
    queryOptions({
      queryKey: ["flag", project, flag, "move", newProjectId],
      queryFn: ({ signal }) =>
        request<FlagMovePreview>(
          adminPath`/projects/${project}/features/${flag}/changeProject/validate`,
          { method: "POST", body: { newProjectId }, signal },
        ),
      staleTime: 0,
    }),

  /** The last time that a flag moved to another project. */
  lastMove: (flag: string) =>
    queryOptions({
      queryKey: ["events", "last-move", flag],
      queryFn: ({ signal }) =>
        request<{ events: readonly RecordedEvent[] }>(
          `api/admin/search/events?${toLastMoveSearch(flag)}`,
          { signal },
        ),
      select: ({ events: [last] }) => last?.project ?? null,
    }),

  /** The names of the flags that a flag may depend on. */
  possibleParents: (project: string, flag: string) =>
    queryOptions({
      queryKey: ["flag", project, flag, "parents"],
      queryFn: ({ signal }) =>
        request<readonly string[]>(adminPath`/projects/${project}/features/${flag}/parents`, {
          signal,
        }),
    }),

  /** The names of the variants that other flags may depend on. */
  variantNames: (project: string, flag: string) =>
    queryOptions({
      queryKey: ["flag", project, flag, "variants"],
      queryFn: ({ signal }) =>
        request<readonly string[]>(
          adminPath`/projects/${project}/features/${flag}/parent-variants`,
          { signal },
        ),
    }),

  /** How often a flag was evaluated in each hour or day of a period. */
  usage: (flag: string, { unit, count }: UsagePeriod) =>
    queryOptions({
      queryKey: ["usage", flag, unit, count],
      queryFn: ({ signal }) =>
        request<FlagUsage>(
          `${adminPath`/client-metrics/features/${flag}/raw`}?${unit}sBack=${count}`,
          { signal },
        ),
      refetchInterval: 60_000,
      placeholderData: keepPreviousData,
    }),

  /** The results of flags for one context in an environment. */
  evaluation: (environment: string, context: ContextValues, flags: readonly string[]) =>
    queryOptions({
      queryKey: ["evaluation", environment, context, flags],
      queryFn: ({ signal }) =>
        request<{ features: readonly Evaluation[] }>("api/admin/playground", {
          method: "POST",
          body: { environment, features: flags, context: toRequestContext(context) },
          signal,
        }),
      select: ({ features }) => features,
      placeholderData: keepPreviousData,
    }),

  /** The results of all flags. Values that are separated by commas are combined. */
  playground: ({ environments, projects, context }: PlaygroundInput) =>
    queryOptions({
      queryKey: ["evaluation", "all", environments, projects, context],
      queryFn: ({ signal }) =>
        request<{ features: readonly PlaygroundFlag[] }>("api/admin/playground/advanced", {
          method: "POST",
          body: {
            environments,
            projects: projects.length === 0 ? "*" : projects,
            context: toRequestContext(context),
          },
          signal,
        }),
      select: ({ features }) => features,
      placeholderData: keepPreviousData,
    }),

  /** The applications whose names contain the text, up to 1,000, and how many there are in total. */
  applications: (query: string) =>
    queryOptions({
      queryKey: ["applications", "list", query],
      queryFn: ({ signal }) =>
        request<{ readonly applications: readonly Application[]; readonly total: number }>(
          `api/admin/metrics/applications?${new URLSearchParams(query === "" ? {} : { query }).toString()}`,
          { signal },
        ),
      placeholderData: keepPreviousData,
    }),

  application: (name: string) =>
    queryOptions({
      queryKey: ["applications", "one", name],
      queryFn: ({ signal }) =>
        request<ApplicationDetails>(adminPath`/metrics/applications/${name}`, { signal }),
    }),

  /** What an application has in each environment, and what of it does not exist here. */
  applicationOverview: (name: string) =>
    queryOptions({
      queryKey: ["applications", "overview", name],
      queryFn: ({ signal }) =>
        request<ApplicationOverview>(adminPath`/metrics/applications/${name}/overview`, { signal }),
    }),

  /** What the code for apps contains, as far as it is configured. Nothing changes it while the service runs. */
  appAccess: () =>
    queryOptions({
      queryKey: ["ui-config"],
      queryFn: ({ signal }) => request<AppAccess>(adminPath`/ui-config`, { signal }),
    }),

  segments: () =>
    queryOptions({
      queryKey: ["segments"],
      queryFn: ({ signal }) =>
        request<{ segments: readonly Segment[] }>(adminPath`/segments`, { signal }),
      select: ({ segments }) => segments,
    }),

  /** The strategies that use a segment. */
  segmentReferences: (id: number) =>
    queryOptions({
      queryKey: ["segments", id, "strategies"],
      queryFn: ({ signal }) =>
        request<{ strategies: readonly StrategyReference[] }>(
          adminPath`/segments/${String(id)}/strategies`,
          { signal },
        ),
      select: ({ strategies }) => strategies,
      staleTime: 0,
    }),

  /** The context fields that all projects may use; with a project, also those that only it may use. */
  contextFields: (project?: string) =>
    queryOptions({
      queryKey: ["context-fields", "list", project],
      queryFn: ({ signal }) =>
        request<readonly ContextFieldSummary[]>(
          project === undefined
            ? adminPath`/context`
            : `${adminPath`/projects/${project}/context`}?include=root`,
          { signal },
        ),
    }),

  /** The strategies with a constraint on a context field. */
  contextFieldReferences: (name: string) =>
    queryOptions({
      queryKey: ["context-fields", name, "strategies"],
      queryFn: ({ signal }) =>
        request<{ strategies: readonly StrategyReference[] }>(
          adminPath`/context/${name}/strategies`,
          { signal },
        ),
      select: ({ strategies }) => strategies,
      staleTime: 0,
    }),

  tagTypes: () =>
    queryOptions({
      queryKey: ["tag-types"],
      queryFn: ({ signal }) =>
        request<{ tagTypes: readonly TagType[] }>(adminPath`/tag-types`, { signal }),
      select: ({ tagTypes }) => tagTypes,
    }),

  tags: () =>
    queryOptions({
      queryKey: ["tags"],
      queryFn: ({ signal }) =>
        request<{ tags: readonly TagDefinition[] }>(adminPath`/tags`, { signal }),
      select: ({ tags }) => tags,
    }),

  strategyTypes: () =>
    queryOptions({
      queryKey: ["strategy-types"],
      queryFn: ({ signal }) =>
        request<{ strategies: readonly StrategyType[] }>(adminPath`/strategies`, { signal }),
      select: ({ strategies }) => strategies,
    }),

  tokens: () =>
    queryOptions({
      queryKey: ["tokens"],
      queryFn: ({ signal }) =>
        request<{ tokens: readonly Token[] }>(adminPath`/api-tokens`, { signal }),
      select: ({ tokens }) => tokens,
    }),

  /** Everybody who is signed in. Nothing announces who signs in and out. */
  sessions: () =>
    queryOptions({
      queryKey: ["sessions"],
      queryFn: ({ signal }) =>
        request<{ sessions: readonly ListedSession[] }>(adminPath`/sessions`, { signal }),
      select: ({ sessions }) => sessions,
      refetchInterval: 30_000,
      staleTime: 0,
    }),

  /** All accounts, and the roles that they can have. */
  users: () =>
    queryOptions({
      queryKey: ["users"],
      queryFn: ({ signal }) =>
        request<{ users: readonly User[]; rootRoles: readonly RootRole[] }>(
          adminPath`/user-admin`,
          {
            signal,
          },
        ),
    }),

  inviteLinks: () =>
    queryOptions({
      queryKey: ["invite-links"],
      queryFn: ({ signal }) =>
        request<{ tokens: readonly InviteLink[] }>(adminPath`/invite-link/tokens`, { signal }),
      select: ({ tokens }) => tokens,
    }),

  ownAccount: () =>
    queryOptions({
      queryKey: ["access", "own", "account"],
      queryFn: ({ signal }) => request<OwnAccount>(adminPath`/user`, { signal }),
      select: ({ user }) => user,
    }),

  ownProfile: () =>
    queryOptions({
      queryKey: ["access", "own", "profile"],
      queryFn: ({ signal }) => request<OwnProfile>(adminPath`/user/profile`, { signal }),
    }),

  personalTokens: () =>
    queryOptions({
      queryKey: ["personal-tokens"],
      queryFn: ({ signal }) =>
        request<{ pats: readonly PersonalToken[] }>(adminPath`/user/tokens`, { signal }),
      select: ({ pats }) => pats,
    }),

  /** Where the user is signed in. */
  ownSessions: () =>
    queryOptions({
      queryKey: ["sessions", "own"],
      queryFn: ({ signal }) =>
        request<{ sessions: readonly OwnSession[] }>(adminPath`/user/sessions`, { signal }),
      select: ({ sessions }) => sessions,
      refetchInterval: 30_000,
      staleTime: 0,
    }),

  /** The tokens that name a project. Those for all projects are not among them. */
  projectTokens: (project: string) =>
    queryOptions({
      queryKey: ["tokens", project],
      queryFn: ({ signal }) =>
        request<{ tokens: readonly Token[] }>(adminPath`/projects/${project}/api-tokens`, {
          signal,
        }),
      select: ({ tokens }) => tokens,
    }),

  /** Recorded changes, newest first, by page. */
  events: (filter: EventFilter) =>
    infiniteQueryOptions({
      queryKey: ["events", filter],
      queryFn: ({ signal, pageParam }) =>
        request<{ events: readonly RecordedEvent[]; total: number }>(
          `api/admin/search/events?${toSearch(filter, pageParam)}`,
          { signal },
        ),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const loaded = pages.reduce((sum, { events }) => sum + events.length, 0);
        return loaded < total ? loaded : undefined;
      },
    }),
};

interface UsagePeriod {
  readonly unit: "day" | "hour";
  readonly count: number;
}

interface FlagUsage {
  readonly data: readonly Usage[];
  readonly hoursKept: number;
  readonly daysKept: number;
}

function selectFavoritesFirst({
  projects,
}: {
  readonly projects: readonly Project[];
}): readonly Project[] {
  return projects.toSorted((a, b) => Number(b.favorite) - Number(a.favorite));
}

/** Which events to read. Absent criteria match every event. */
export interface EventFilter {
  readonly project?: string;
  readonly feature?: string;
  readonly type?: string;
  readonly createdBy?: string;
  readonly query?: string;
  /** The first and the last day in UTC, such as 2026-03-31. */
  readonly from?: string;
  readonly to?: string;
}

/** What to evaluate in the playground. */
export interface PlaygroundInput {
  readonly environments: readonly string[];
  /** Empty for all. */
  readonly projects: readonly string[];
  readonly context: ContextValues;
}

/** Which flags of all projects to read. Empty text matches every flag. */
export interface FlagSearch {
  readonly query: string;
  readonly project: string;
  readonly type: string;
  readonly state: "all" | "active" | "potentially-stale" | "stale";
  /** A column of the search, after a minus if it is descending. */
  readonly sort: string;
}

function toFlagSearch({ query, project, type, state, sort }: FlagSearch, offset: number): string {
  const isDescending = sort.startsWith("-");
  const parameters = new URLSearchParams({
    limit: String(PAGE_SIZE),
    offset: String(offset),
    sortBy: isDescending ? sort.slice(1) : sort,
    sortOrder: isDescending ? "desc" : "asc",
    favoritesFirst: "true",
  });
  if (query !== "") parameters.set("query", query.replaceAll(",", " "));
  if (project !== "") parameters.set("project", `IS:${project}`);
  if (type !== "") parameters.set("type", `IS:${type}`);
  if (state !== "all") parameters.set("state", `IS:${state}`);
  return parameters.toString();
}

interface FoundFlags {
  readonly features: readonly Pick<FlagSummary, "name" | "project" | "description">[];
  readonly total: number;
}

function toLastMoveSearch(flag: string): string {
  const type = "IS:feature-project-change";
  return new URLSearchParams({ type, feature: `IS:${flag}`, limit: "1" }).toString();
}

/** A comma would separate words, each of which is enough for a match. */
function toFoundSearch(text: string, isArchived: boolean): string {
  const query = text.replaceAll(",", " ");
  const archived = `IS:${isArchived}`;
  return new URLSearchParams({ limit: "8", sortBy: "name", query, archived }).toString();
}

const PAGE_SIZE = 50;

function toSearch(filter: EventFilter, offset: number): string {
  const parameters = toEventParameters(filter);
  parameters.set("limit", String(PAGE_SIZE));
  parameters.set("offset", String(offset));
  return parameters.toString();
}

/** Returns the address of a file with all events that match. */
export function toEventExport(filter: EventFilter, format: "csv" | "json"): string {
  const parameters = toEventParameters(filter);
  parameters.set("format", format);
  return `api/admin/search/events/export?${parameters.toString()}`;
}

function toEventParameters({ query, ...filter }: EventFilter): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined && value !== "") parameters.set(name, `IS:${value}`);
  }
  if (query !== undefined && query !== "") parameters.set("query", query);
  return parameters;
}
