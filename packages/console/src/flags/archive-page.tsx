import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ARCHIVE_FIELDS } from "../app/list-fields.ts";
import { queries } from "../api/queries.ts";
import type { ArchivedFlag } from "../api/types.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { Button } from "../ui/button.tsx";
import { describeCount, describeShown } from "../ui/numbers.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { Selection, selectionColumn } from "../ui/selection.tsx";
import { Time } from "../ui/time.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { matchesWords, toWords } from "../ui/words.ts";
import { DeleteFlagsDialog, ReviveFlagsDialog } from "./archived-flags-dialogs.tsx";
import { describeType } from "./flag-types.ts";
import { OtherHits } from "./other-hits.tsx";

const route = getRouteApi("/shell/projects/$project/archive");

/** The archived flags of a project. */
export function ArchivePage() {
  const { project } = route.useParams();
  const flags = useQuery(queries.archivedFlags(project));
  return (
    <Page
      title="Archive"
      description="Flags that are no longer in use. Applications do not receive them and treat them as off."
    >
      <Loaded query={flags}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="The archive is empty">
              <p>
                Archive a flag when your code no longer needs it. It stays here, so that you can
                revive it with all its strategies.
              </p>
            </Empty>
          ) : (
            <ArchivedFlags key={project} project={project} flags={all} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface Action {
  readonly kind: "revive" | "delete";
  readonly names: readonly string[];
}

interface ArchivedFlagsProps {
  readonly project: string;
  readonly flags: readonly ArchivedFlag[];
}

function ArchivedFlags({ project, flags }: ArchivedFlagsProps) {
  const canEdit = useHasProjectRole(project, "editor");
  const canDelete = useHasProjectRole(project, "owner");
  const [{ query, sort }, changeList] = useListState(ARCHIVE_FIELDS);
  const setQuery = (text: string): void => changeList({ query: text });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [action, setAction] = useState<Action>();
  const shown = useMemo(() => {
    const words = toWords(query);
    return flags.filter(({ name, description }) => matchesWords(words, name, description));
  }, [flags, query]);
  const chosen = shown.map(({ name }) => name).filter((name) => selected.has(name));
  const close = (): void => setAction(undefined);
  const dialog = {
    project,
    names: action?.names ?? [],
    onClose: close,
    onDone: () => {
      close();
      setSelected(new Set());
    },
  };

  const selection = selectionColumn({ selectable: shown, selected, onChange: setSelected });
  const actions: Column<ArchivedFlag> = menuColumn(
    ({ name }) => name,
    ({ name }) => [
      { label: "Revive", run: () => setAction({ kind: "revive", names: [name] }) },
      ...(canDelete
        ? [
            {
              label: "Delete permanently",
              isDangerous: true,
              run: () => setAction({ kind: "delete", names: [name] }),
            },
          ]
        : []),
    ],
  );

  return (
    <>
      <div className="row" role="search">
        <SearchField label="Search by name or description" value={query} onChange={setQuery} />
      </div>
      {chosen.length === 0 ? null : (
        <Selection
          label="Selected flags"
          count={describeCount(chosen.length, "flag")}
          onClear={() => setSelected(new Set())}
        >
          <Button size="small" onPress={() => setAction({ kind: "revive", names: chosen })}>
            Revive
          </Button>
          {canDelete ? (
            <Button size="small" onPress={() => setAction({ kind: "delete", names: chosen })}>
              Delete permanently
            </Button>
          ) : null}
        </Selection>
      )}
      <p className="muted" role="status">
        {describeShown(shown.length, flags.length, "archived flag")}
      </p>
      {shown.length === 0 ? (
        <Empty title="No archived flag matches">
          <OtherHits text={query} project={project} isArchive />
          <Button onPress={() => setQuery("")}>Show all archived flags</Button>
        </Empty>
      ) : (
        <DataTable
          label="Archived flags"
          rows={shown}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={(next) => changeList({ sort: next })}
          columns={[...(canEdit ? [selection] : []), ...COLUMNS, ...(canEdit ? [actions] : [])]}
        />
      )}
      {action?.kind === "revive" ? <ReviveFlagsDialog {...dialog} /> : null}
      {action?.kind === "delete" ? <DeleteFlagsDialog {...dialog} /> : null}
    </>
  );
}

const COLUMNS: readonly Column<ArchivedFlag>[] = [
  {
    id: "name",
    header: "Name",
    isRowHeader: true,
    sortBy: ({ name }) => name.toLowerCase(),
    cell: ({ name, project, type, description }) => (
      <>
        <Link to="/projects/$project/flags/$flag" params={{ project, flag: name }}>
          {name}
        </Link>
        <p className="data-detail">
          {describeType(type).name}
          {description ? ` · ${description}` : ""}
        </p>
      </>
    ),
  },
  {
    id: "archived",
    header: "Archived",
    width: "10rem",
    sortBy: ({ archivedAt }) => archivedAt,
    startsDescending: true,
    cell: ({ archivedAt }) => (archivedAt === undefined ? null : <Time value={archivedAt} />),
  },
  {
    id: "created",
    header: "Created",
    width: "10rem",
    sortBy: ({ createdAt }) => createdAt,
    startsDescending: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
];
