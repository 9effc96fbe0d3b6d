import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type ChangeRequestFilter, changeRequestQueries } from "../api/change-request-queries.ts";
import { CHANGE_REQUEST_FIELDS, PROJECT_CHANGE_REQUEST_FIELDS } from "../app/list-fields.ts";
import { sessionQuery } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { RequestTable } from "./request-table.tsx";

/** The change requests of all projects, first those that wait for the user. */
export function AllRequestsPage() {
  const [{ tab }, changeList] = useListState(CHANGE_REQUEST_FIELDS);
  const { data: session } = useQuery(sessionQuery);
  const id = session?.user.id ?? undefined;
  const own = id === undefined ? {} : { createdBy: id };
  return (
    <Page
      title="Change requests"
      description="Changes that somebody has requested instead of making them, in all projects."
    >
      <Tabs
        label="Kinds of change requests"
        selected={tab}
        onSelect={(next) => changeList({ tab: next })}
        tabs={[
          {
            id: "waiting",
            label: "Waiting for you",
            content: list({ awaitsMe: true, state: "open" }, "Nothing waits for your review"),
          },
          ...(id === undefined
            ? []
            : [
                {
                  id: "own" as const,
                  label: "Yours",
                  content: list({ ...own, state: "open" }, "You have no open change requests"),
                },
              ]),
          {
            id: "open",
            label: "Open",
            content: list({ state: "open" }, "There are no open change requests"),
          },
          {
            id: "closed",
            label: "Closed",
            content: list({ state: "closed" }, "No change request has been closed yet"),
          },
        ]}
      />
    </Page>
  );
}

function list(filter: ChangeRequestFilter, empty: string) {
  return () => (
    <RequestList filter={filter} namesProject empty={empty}>
      Where changes require approvals, a change of a flag is added to a change request, which others
      review.
    </RequestList>
  );
}

interface RequestListProps {
  readonly filter: ChangeRequestFilter;
  readonly namesProject?: boolean;
  /** The heading if there are none. */
  readonly empty: string;
  /** What follows it. */
  readonly children: ReactNode;
}

/** Change requests, the latest first, with a button that loads more. */
function RequestList({ filter, namesProject = false, empty, children }: RequestListProps) {
  const query = useInfiniteQuery(changeRequestQueries.list(filter));
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const found = pages.flatMap(({ changeRequests }) => changeRequests);
        if (found.length === 0) {
          return (
            <Empty title={empty}>
              <p>{children}</p>
            </Empty>
          );
        }
        // Requests that are created while pages are loaded move others to the next page.
        const requests = [...new Map(found.map((one) => [one.id, one])).values()];
        return (
          <>
            <RequestTable label="Change requests" requests={requests} namesProject={namesProject} />
            {query.hasNextPage ? (
              <div>
                <Button
                  isPending={query.isFetchingNextPage}
                  onPress={() => void query.fetchNextPage()}
                >
                  Show more
                </Button>
              </div>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

const route = getRouteApi("/shell/projects/$project/change-requests");

/** The change requests of a project. */
export function ProjectRequestsPage() {
  const { project } = route.useParams();
  const [{ tab }, changeList] = useListState(PROJECT_CHANGE_REQUEST_FIELDS);
  const content = (state: "closed" | "open") => () => (
    <RequestList filter={{ project, state }} empty={`This project has no ${state} change requests`}>
      Where changes require approvals, a change of a flag is added to a change request. The{" "}
      <Link to="/projects/$project/settings" params={{ project }}>
        project settings
      </Link>{" "}
      say in which environments that is so.
    </RequestList>
  );
  return (
    <Page
      title="Change requests"
      description="Changes of this project that somebody has requested instead of making them."
    >
      <Tabs
        label="Kinds of change requests"
        selected={tab}
        onSelect={(next) => changeList({ tab: next })}
        tabs={[
          { id: "open", label: "Open", content: content("open") },
          { id: "closed", label: "Closed", content: content("closed") },
        ]}
      />
    </Page>
  );
}
