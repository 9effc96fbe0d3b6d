import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { adminPath, request } from "./request.ts";
import type { ChangeRequest, ChangeRequestSummary } from "./types.ts";

/** What the console reads of change requests. See `queries` for the keys. */
export const changeRequestQueries = {
  /** The open change requests of a project, the latest first: of the drafts, only those of the user. */
  open: (project: string) =>
    queryOptions({
      queryKey: ["change-requests", "open", project],
      queryFn: ({ signal }) =>
        request<readonly ChangeRequestSummary[]>(
          adminPath`/projects/${project}/change-requests/pending`,
          { signal },
        ),
    }),

  /** Change requests, the latest first, by page. */
  list: (filter: ChangeRequestFilter) =>
    infiniteQueryOptions({
      queryKey: ["change-requests", "list", filter],
      queryFn: ({ signal, pageParam }) =>
        request<FoundChangeRequests>(
          `api/admin/search/change-requests?${toChangeRequestSearch(filter, pageParam)}`,
          { signal },
        ),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const loaded = pages.reduce((sum, { changeRequests }) => sum + changeRequests.length, 0);
        return loaded < total ? loaded : undefined;
      },
      placeholderData: keepPreviousData,
    }),

  /** How many change requests wait for a review by the user. */
  waitingCount: () =>
    queryOptions({
      queryKey: ["change-requests", "waiting"],
      queryFn: ({ signal }) =>
        request<FoundChangeRequests>(
          "api/admin/search/change-requests?limit=1&state=IS:open&awaitsMe=true",
          { signal },
        ),
      select: ({ total }) => total,
    }),

  /** How many change requests there are for an environment, without drafts of others. */
  count: ({ environment, project, state }: ChangeRequestCount) =>
    queryOptions({
      queryKey: ["change-requests", "count", environment, project, state],
      queryFn: ({ signal }) => {
        const parameters = new URLSearchParams({ limit: "1", state: `IS:${state}` });
        parameters.set("environment", `IS:${environment}`);
        if (project !== undefined) parameters.set("project", `IS:${project}`);
        return request<FoundChangeRequests>(
          `api/admin/search/change-requests?${parameters.toString()}`,
          { signal },
        );
      },
      select: ({ total }) => total,
    }),

  one: (project: string, id: number) =>
    queryOptions({
      queryKey: ["change-requests", "one", project, id],
      queryFn: ({ signal }) =>
        request<ChangeRequest>(adminPath`/projects/${project}/change-requests/${String(id)}`, {
          signal,
        }),
    }),

  /**
   * A change request with what others have changed since. It fails if a change cannot be made any more. The service tries out
   * the changes for it while others wait, so it is not repeated after each change of a request.
   */
  checked: ({ project, id, updatedAt }: Pick<ChangeRequest, "id" | "project" | "updatedAt">) =>
    queryOptions({
      queryKey: ["checked-change-request", project, id, updatedAt],
      queryFn: ({ signal }) =>
        request<ChangeRequest>(
          adminPath`/projects/${project}/change-requests/${String(id)}/check`,
          { method: "POST", signal },
        ),
      retry: false,
    }),

  /** Who can review requests for an environment of a project. */
  reviewers: (project: string, environment: string) =>
    queryOptions({
      queryKey: ["access", "reviewers", project, environment],
      queryFn: ({ signal }) =>
        request<readonly Reviewer[]>(
          adminPath`/projects/${project}/change-requests/available-reviewers/${environment}`,
          { signal },
        ),
    }),
};

/** Which change requests are listed. */
export interface ChangeRequestFilter {
  /** Only those of the project. @default those of all projects */
  readonly project?: string;
  readonly state: "closed" | "open";
  /** Only those that the user can review and has not reviewed. @default false */
  readonly awaitsMe?: boolean;
  /** The id of the account that has created them. */
  readonly createdBy?: number;
}

interface ChangeRequestCount {
  readonly environment: string;
  /** Only those of the project. @default those of all projects */
  readonly project?: string;
  readonly state: "open" | "Scheduled";
}

interface FoundChangeRequests {
  readonly changeRequests: readonly ChangeRequestSummary[];
  readonly total: number;
}

function toChangeRequestSearch(
  { project, state, awaitsMe, createdBy }: ChangeRequestFilter,
  offset: number,
): string {
  const parameters = new URLSearchParams({ offset: String(offset), state: `IS:${state}` });
  if (project !== undefined) parameters.set("project", `IS:${project}`);
  if (awaitsMe === true) parameters.set("awaitsMe", "true");
  if (createdBy !== undefined) parameters.set("createdBy", `IS:${createdBy}`);
  return parameters.toString();
}

/** Somebody who can review change requests. */
interface Reviewer {
  readonly id: number;
  readonly username: string;
}
