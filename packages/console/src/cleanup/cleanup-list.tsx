import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { cleanupQueries } from "../api/cleanup-queries.ts";
import { queries } from "../api/queries.ts";
import type { CleanupFlag } from "../api/types.ts";
import { describeType } from "../flags/flag-types.ts";
import { useEditableProjects } from "../projects/use-project-role.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Menu, menuColumn } from "../ui/menu.tsx";
import { describeCount, describeShown } from "../ui/numbers.ts";
import { Selection, selectionColumn } from "../ui/selection.tsx";
import { Time } from "../ui/time.tsx";
import { describeKeep, describeUsers, describeWhy } from "./describe-stale.ts";
import { useArchive } from "./use-archive.tsx";
import { useCleanupEntries } from "./use-cleanup.ts";

/** The flags that can be removed. @param project empty for all projects */
export function CleanupList({ project }: { readonly project: string }) {
  const found = useInfiniteQuery(cleanupQueries.list(project));
  return (
    <Loaded query={found}>
      {({ pages }) => {
        const flags = pages.flatMap((page) => page.flags);
        const total = pages.at(-1)?.total ?? 0;
        return total === 0 ? (
          <Empty title="Nothing to clean up">
            <p>
              Flags appear here when they are past the lifetime of their type and nothing has used
              them for 30 days, or they gave everyone the same result for 30 days. So do flags that
              somebody marks as stale.
            </p>
          </Empty>
        ) : (
          <>
            <Flags project={project} flags={flags} total={total} />
            {found.hasNextPage ? (
              <div>
                <Button
                  isPending={found.isFetchingNextPage}
                  onPress={() => void found.fetchNextPage()}
                >
                  Load more
                </Button>
              </div>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

interface FlagsProps {
  readonly project: string;
  readonly flags: readonly CleanupFlag[];
  readonly total: number;
}

function Flags({ project, flags, total }: FlagsProps) {
  const editable = new Set(useEditableProjects().map(({ id }) => id));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const archive = useArchive();
  const entriesFor = useCleanupEntries();
  const selectable = flags.filter((flag) => editable.has(flag.project));
  const chosen = selectable.filter(({ name }) => selected.has(name));
  const clear = (): void => setSelected(new Set());
  const entries = (flag: CleanupFlag) => {
    const { mark, snooze } = entriesFor([flag]);
    return [mark, ...snooze, { label: "Archive…", isDangerous: true, run: () => archive([flag]) }];
  };
  const { mark, snooze, noSnooze } = entriesFor(chosen);
  const selection = selectionColumn({ selectable, selected, onChange: setSelected });
  const actions: Column<CleanupFlag> = menuColumn(
    ({ name }) => name,
    (flag) => (editable.has(flag.project) ? entries(flag) : []),
  );
  const canEdit = selectable.length > 0;
  return (
    <>
      {chosen.length === 0 ? null : (
        <Selection
          label="Selected flags"
          count={describeCount(chosen.length, "flag")}
          onClear={clear}
        >
          <Button size="small" onPress={() => archive(chosen, clear)}>
            Archive…
          </Button>
          <Menu entries={snooze}>
            <Button size="small" isDisabled={noSnooze !== undefined}>
              Snooze <ChevronDown aria-hidden />
            </Button>
          </Menu>
          {noSnooze === undefined ? null : <span className="muted">{noSnooze}</span>}
          <Button size="small" onPress={mark.run}>
            {mark.label}
          </Button>
        </Selection>
      )}
      <p className="muted" role="status">
        {describeShown(flags.length, total, "flag")}
      </p>
      <DataTable
        label="Flags to clean up"
        rows={flags}
        keyOf={({ name }) => name}
        columns={[
          ...(canEdit ? [selection] : []),
          NAME,
          ...(project === "" ? [PROJECT] : []),
          ...REASONS,
          ...(canEdit ? [actions] : []),
        ]}
      />
    </>
  );
}

const NAME: Column<CleanupFlag> = {
  id: "name",
  header: "Name",
  width: "26%",
  isRowHeader: true,
  cell: ({ name, project, type, stale }) => (
    <>
      <span className="row">
        <Link to="/projects/$project/flags/$flag" params={{ project, flag: name }}>
          {name}
        </Link>
        {stale ? <Badge kind="warning">stale</Badge> : null}
      </span>
      <p className="data-detail">{describeType(type).name}</p>
    </>
  ),
};

const PROJECT: Column<CleanupFlag> = {
  id: "project",
  header: "Project",
  width: "14%",
  cell: ({ project }) => <ProjectName id={project} />,
};

function ProjectName({ id }: { readonly id: string }) {
  const { data: projects } = useQuery(queries.projects());
  return (
    <Link to="/projects/$project/cleanup" params={{ project: id }}>
      {projects?.find((one) => one.id === id)?.name ?? id}
    </Link>
  );
}

const REASONS: readonly Column<CleanupFlag>[] = [
  {
    id: "why",
    header: "Why",
    cell: (flag) => (
      <div>
        {describeWhy(flag)}
        <p className="data-detail">{describeKeep(flag)}</p>
      </div>
    ),
  },
  {
    id: "lastUse",
    header: "Last used",
    width: "24%",
    cell: ({ lastUse }) => <LastUse use={lastUse} />,
  },
];

function LastUse({ use }: { readonly use: CleanupFlag["lastUse"] }) {
  if (use === null) return <span className="muted">never</span>;
  const users = describeUsers(use);
  return (
    <div>
      <span className="row">
        <Time value={use.lastSeenAt} />
        {use.isInUse ? <Badge kind="accent">still used</Badge> : null}
      </span>
      {users === "" ? null : <p className="data-detail">by {users}</p>}
    </div>
  );
}
