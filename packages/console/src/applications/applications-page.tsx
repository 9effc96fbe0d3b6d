import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { APPLICATION_FIELDS } from "../app/list-fields.ts";
import { TriangleAlert } from "lucide-react";
import { queries } from "../api/queries.ts";
import type { Application } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { useListState } from "../ui/use-list-state.ts";
import "./applications.css";

/** The applications that have registered. */
export function ApplicationsPage() {
  const [{ query: text, sort }, changeList] = useListState(APPLICATION_FIELDS);
  const setText = (next: string): void => changeList({ query: next });
  const query = useDebounced(text.trim());
  const applications = useQuery(queries.applications(query));
  return (
    <Page
      title="Applications"
      description="Programs that read flags from this service. They appear here when their SDK registers."
    >
      <Loaded query={applications}>
        {({ applications: shown, total }) =>
          total === 0 && query === "" ? (
            <Empty title="No application has registered yet">
              <p>
                Create an API token of type backend or frontend, and start an application with an
                SDK that uses it. It registers when it starts.
              </p>
              <Link to="/tokens">Go to the API tokens</Link>
            </Empty>
          ) : (
            <>
              <div className="applications-filters" role="search">
                <SearchField label="Search by name" value={text} onChange={setText} />
              </div>
              <p className="muted applications-count" role="status">
                {describeCount(total, "application")}
                {shown.length < total ? `; showing the first ${formatCount(shown.length)}` : ""}
              </p>
              {shown.length === 0 ? (
                <Empty title="No application matches">
                  <Button onPress={() => setText("")}>Show all applications</Button>
                </Empty>
              ) : (
                <DataTable
                  label="Applications"
                  columns={COLUMNS}
                  rows={shown}
                  keyOf={({ appName }) => appName}
                  sort={sort}
                  onSort={(next) => changeList({ sort: next })}
                />
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Says which flags an application asks for that it does not receive, because it treats them as off. */
function MissingFlags({ application }: { readonly application: Application }) {
  const { missingFlagCount: count, missingFlags } = application;
  if (count === 0) return null;
  const names = missingFlags.map(({ name, archivedAt }) =>
    archivedAt === undefined ? name : `${name} (archived)`,
  );
  const more = count - names.length;
  return (
    <p className="application-missing">
      <TriangleAlert aria-hidden /> asks for {describeCount(count, "flag")} that{" "}
      {count === 1 ? "does" : "do"} not exist: {names.join(", ")}
      {more > 0 ? ` and ${formatCount(more)} more` : ""}
    </p>
  );
}

const COLUMNS: readonly Column<Application>[] = [
  {
    id: "name",
    header: "Name",
    isRowHeader: true,
    sortBy: ({ appName }) => appName.toLowerCase(),
    cell: (application) => (
      <>
        <Link to="/applications/$application" params={{ application: application.appName }}>
          {application.appName}
        </Link>
        <MissingFlags application={application} />
      </>
    ),
  },
  {
    id: "environments",
    header: "Environments",
    width: "28%",
    cell: ({ environments }) => (
      <span className="row">
        {environments.map((name) => (
          <Badge key={name}>{name}</Badge>
        ))}
      </span>
    ),
  },
  {
    id: "sdk",
    header: "SDK",
    width: "28%",
    sortBy: ({ sdkVersion }) => sdkVersion,
    cell: ({ sdkVersion }) => sdkVersion ?? <span className="muted">unknown</span>,
  },
  {
    id: "report",
    header: "Last report",
    width: "10rem",
    sortBy: ({ lastSeenAt }) => lastSeenAt,
    startsDescending: true,
    cell: ({ lastSeenAt }) =>
      lastSeenAt === null ? <span className="muted">unknown</span> : <Time value={lastSeenAt} />,
  },
];
