import { keepPreviousData, queryOptions } from "@tanstack/react-query";
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

  /** Change requests of all projects, or of one, the latest first. */
  list: (filter: ChangeRequestFilter) =>
    queryOptions({
      queryKey: ["change-requests", "list", filter],
      queryFn: async ({ signal }): Promise<FoundChangeRequests> => {
        if (filter.project === undefined) {
          return request(`api/admin/search/change-requests?${toChangeRequestSearch(filter)}`, {
            signal,
          });
        }
        const all = await request<readonly ChangeRequestSummary[]>(
          adminPath`/projects/${filter.project}/change-requests`,
          { signal },
        );
        return { changeRequests: all, total: all.length };
      },
      placeholderData: keepPreviousData,
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
  /** Lists all requests of the project; undefined for those of all projects, up to 100. */
  readonly project?: string;
  readonly state?: "closed" | "open";
  /** Only those that the user can review and has not reviewed. @default false */
  readonly awaitsMe?: boolean;
  /** The id of the account that has created them. */
  readonly createdBy?: number;
}

interface FoundChangeRequests {
  readonly changeRequests: readonly ChangeRequestSummary[];
  readonly total: number;
}

function toChangeRequestSearch({ state, awaitsMe, createdBy }: ChangeRequestFilter): string {
  const parameters = new URLSearchParams({ limit: "100" });
  if (state !== undefined) parameters.set("state", `IS:${state}`);
  if (awaitsMe === true) parameters.set("awaitsMe", "true");
  if (createdBy !== undefined) parameters.set("createdBy", `IS:${createdBy}`);
  return parameters.toString();
}

/** Somebody who can review change requests. */
interface Reviewer {
  readonly id: number;
  readonly username: string;
}
