import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ChangeRequestFilter, changeRequestQueries } from "../api/change-request-queries.ts";
import { CHANGE_REQUEST_FIELDS, PROJECT_CHANGE_REQUEST_FIELDS } from "../app/list-fields.ts";
import { sessionQuery } from "../session/session.ts";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { isOpen } from "./rights.ts";
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
  return () => <RequestList filter={filter} empty={empty} />;
}

function RequestList({
  filter,
  empty,
}: {
  readonly filter: ChangeRequestFilter;
  readonly empty: string;
}) {
  const found = useQuery(changeRequestQueries.list(filter));
  return (
    <Loaded query={found}>
      {({ changeRequests, total }) =>
        total === 0 ? (
          <Empty title={empty}>
            <p>
              Where changes require approvals, a change of a flag is added to a change request,
              which others review.
            </p>
          </Empty>
        ) : (
          <>
            <RequestTable label="Change requests" requests={changeRequests} namesProject />
            {total > changeRequests.length ? (
              <p className="muted">
                The latest {changeRequests.length} of {total}.
              </p>
            ) : null}
          </>
        )
      }
    </Loaded>
  );
}

const route = getRouteApi("/shell/projects/$project/change-requests");

/** The change requests of a project. */
export function ProjectRequestsPage() {
  const { project } = route.useParams();
  const [{ tab }, changeList] = useListState(PROJECT_CHANGE_REQUEST_FIELDS);
  const requests = useQuery(changeRequestQueries.list({ project }));
  const content = (shows: boolean) => () => (
    <Loaded query={requests}>
      {({ changeRequests }) => {
        const shown = changeRequests.filter((request) => isOpen(request) === shows);
        return shown.length === 0 ? (
          <Empty title={`This project has no ${shows ? "open" : "closed"} change requests`}>
            <p>
              Where changes require approvals, a change of a flag is added to a change request. The{" "}
              <Link to="/projects/$project/settings" params={{ project }}>
                project settings
              </Link>{" "}
              say in which environments that is so.
            </p>
          </Empty>
        ) : (
          <RequestTable label="Change requests" requests={shown} />
        );
      }}
    </Loaded>
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
          { id: "open", label: "Open", content: content(true) },
          { id: "closed", label: "Closed", content: content(false) },
        ]}
      />
    </Page>
  );
}
