import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { ALL_FLAG_FIELDS } from "../app/list-fields.ts";
import type { FlagSummary, Project } from "../api/types.ts";
import { FavoriteButton } from "../favorites/favorite-button.tsx";
import { useFavoriteFlag } from "../favorites/use-favorites.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeShown } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { FilterSelect } from "../ui/select.tsx";
import { Time } from "../ui/time.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { useRestoredPages } from "../ui/use-restored-pages.ts";
import { useListState } from "../ui/use-list-state.ts";
import { describeReach } from "./describe-reach.ts";
import { lastSeenAt } from "./filter-flags.ts";
import { StateSelect } from "./flag-filters.tsx";
import { describeType, FLAG_TYPES } from "./flag-types.ts";
import "./flag-list.css";

/** The flags of all projects that the user may see. */
export function AllFlagsPage() {
  const [{ pages, ...filter }, changeList] = useListState(ALL_FLAG_FIELDS);
  const { data: projects = [] } = useQuery(queries.projects());
  const found = useInfiniteQuery(
    queries.flagsOfAllProjects({ ...filter, query: useDebounced(filter.query.trim()) }),
  );
  const marking = useFavoriteFlag();
  const loadedCount = useRestoredPages(found, pages);
  return (
    <Page title="Flags of all projects">
      <div className="flag-filters" role="search">
        <SearchField
          label="Search by name or description"
          value={filter.query}
          onChange={(query) => changeList({ query, pages: "" })}
        />
        <FilterSelect
          label="Project"
          hidesLabel
          all="All projects"
          choices={projects.map(({ id, name }) => ({ id, label: name }))}
          value={filter.project}
          onChange={(project) => changeList({ project, pages: "" })}
        />
        <FilterSelect
          label="Type"
          hidesLabel
          all="All types"
          choices={Object.entries(FLAG_TYPES).map(([id, { name }]) => ({ id, label: name }))}
          value={filter.type}
          onChange={(type) => changeList({ type, pages: "" })}
        />
        <StateSelect value={filter.state} onChange={(state) => changeList({ state, pages: "" })} />
      </div>
      <Loaded query={found}>
        {(loaded) => {
          const features = loaded.pages.flatMap((page) => page.features);
          const total = loaded.pages.at(-1)?.total ?? 0;
          return (
            <>
              <p className="muted" role="status">
                {describeShown(features.length, total, "flag")}
              </p>
              {features.length === 0 ? (
                <Empty title="No flag matches">
                  <Button
                    onPress={() => changeList({ query: "", project: "", type: "", state: "all" })}
                  >
                    Show all flags
                  </Button>
                </Empty>
              ) : (
                <DataTable
                  label="Flags of all projects"
                  rows={features}
                  keyOf={({ name }) => name}
                  isFirst={isFavorite}
                  columns={columnsFor(projects, marking.mutate)}
                  sort={filter.sort}
                  onSort={(sort) => {
                    const known = ALL_FLAG_FIELDS.sort.find((one) => one === sort);
                    if (known !== undefined) changeList({ sort: known, pages: "" });
                  }}
                />
              )}
              {found.hasNextPage ? (
                <div>
                  <Button
                    isPending={found.isFetchingNextPage}
                    onPress={() => changeList({ pages: String(loadedCount + 1) })}
                  >
                    Load more
                  </Button>
                </div>
              ) : null}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function isFavorite({ favorite }: FlagSummary): boolean {
  return favorite;
}

function columnsFor(
  projects: readonly Project[],
  mark: ReturnType<typeof useFavoriteFlag>["mutate"],
): readonly Column<FlagSummary>[] {
  return [
    {
      id: "name",
      header: "Name",
      isRowHeader: true,
      sortBy: ({ name }) => name.toLowerCase(),
      cell: ({ name, project, type, description, stale, potentiallyStale, favorite }) => (
        <>
          <span className="row">
            <FavoriteButton
              name={name}
              isFavorite={favorite}
              onChange={(marked) => mark({ project, flag: name, isFavorite: marked })}
            />
            <Link to="/projects/$project/flags/$flag" params={{ project, flag: name }}>
              {name}
            </Link>
            {stale ? <Badge kind="warning">stale</Badge> : null}
            {potentiallyStale ? <Badge>potentially stale</Badge> : null}
          </span>
          <p className="data-detail">
            {describeType(type).name}
            {description ? ` · ${description}` : ""}
          </p>
        </>
      ),
    },
    {
      id: "project",
      header: "Project",
      width: "18%",
      cell: ({ project }) => (
        <Link to="/projects/$project/flags" params={{ project }}>
          {projects.find(({ id }) => id === project)?.name ?? project}
        </Link>
      ),
    },
    {
      id: "on",
      header: "On in",
      width: "22%",
      cell: (flag) => <EnvironmentsOn flag={flag} />,
    },
    {
      id: "lastSeenAt",
      header: "Last used",
      width: "7.5rem",
      sortBy: (flag) => lastSeenAt(flag),
      startsDescending: true,
      cell: (flag) => {
        const time = lastSeenAt(flag);
        return time === undefined ? <span className="muted">never</span> : <Time value={time} />;
      },
    },
    {
      id: "createdAt",
      header: "Created",
      width: "7.5rem",
      sortBy: ({ createdAt }) => createdAt,
      startsDescending: true,
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
  ];
}

/** Where a flag is on, and for whom. */
function EnvironmentsOn({ flag }: { readonly flag: FlagSummary }) {
  const on = flag.environments
    .map((environment) => ({ name: environment.name, ...describeReach(environment) }))
    .filter(({ audience }) => audience !== "off");
  if (on.length === 0) return <span className="muted">no environment</span>;
  return (
    <span>
      {on.map(({ name, audience, variants }) => (
        <span key={name} className="flag-on">
          {name}: <span className="muted">{[audience, variants].filter(Boolean).join(", ")}</span>
        </span>
      ))}
    </span>
  );
}
