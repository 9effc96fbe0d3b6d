import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { queries } from "../api/queries.ts";
import type { FlagSummary } from "../api/types.ts";
import { OpenRequests } from "../change-requests/open-requests.tsx";
import { readHiddenColumns, rememberHiddenColumns } from "../app/remembered-choices.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeShown } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { readListSearch } from "../ui/list-search.ts";
import { useCreating } from "../ui/use-creating.ts";
import { useListState } from "../ui/use-list-state.ts";
import { ColumnChoice } from "./column-choice.tsx";
import { columnsOf, hideableColumns, withoutColumns } from "./flag-columns.ts";
import { filterFlags, FLAG_FIELDS } from "./filter-flags.ts";
import { FlagFilters } from "./flag-filters.tsx";
import { FlagList } from "./flag-list.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { OtherHits } from "./other-hits.tsx";
import { rememberFilter } from "./opened-filters.ts";

const BulkActions = lazyPart(async () => (await import("./bulk-actions.tsx")).BulkActions);
const CreateFlagDialog = lazyPart(
  async () => (await import("./create-flag-dialog.tsx")).CreateFlagDialog,
);

const NO_FILTER = readListSearch(FLAG_FIELDS, {});

const route = getRouteApi("/shell/projects/$project/flags");

/** The flags of a project. */
export function FlagsPage() {
  const { project } = route.useParams();
  const flags = useQuery(queries.flags(project));
  const canEdit = useHasProjectRole(project, "editor");
  const [isCreating, setCreating] = useCreating();
  return (
    <Page
      title="Flags"
      actions={
        canEdit ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New flag
          </Button>
        ) : undefined
      }
    >
      <OpenRequests project={project} />
      <Loaded query={flags}>
        {(all) => (
          <>
            {canEdit ? (
              <FirstSteps project={project} flags={all} onCreate={() => setCreating(true)} />
            ) : null}
            {all.length > 0 ? (
              <FilteredFlags key={project} project={project} flags={all} />
            ) : canEdit ? null : (
              <Empty title="This project has no flags yet" />
            )}
          </>
        )}
      </Loaded>
      {isCreating ? (
        <CreateFlagDialog project={project} onClose={() => setCreating(false)} />
      ) : null}
    </Page>
  );
}

interface FilteredFlagsProps {
  readonly project: string;
  readonly flags: readonly FlagSummary[];
}

function FilteredFlags({ project, flags }: FilteredFlagsProps) {
  const [filter, changeFilter] = useListState(FLAG_FIELDS);
  useEffect(() => rememberFilter(project, filter), [project, filter]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [hidden, setHidden] = useState(readHiddenColumns);
  const columns = useMemo(() => columnsOf(flags), [flags]);
  const visible = useMemo(() => withoutColumns(columns, hidden), [columns, hidden]);
  // Typing stays smooth with thousands of flags.
  const deferredFilter = useDeferredValue(filter);
  const shown = useMemo(() => filterFlags(flags, deferredFilter), [flags, deferredFilter]);
  const chosen = useMemo(() => shown.filter(({ name }) => selected.has(name)), [shown, selected]);
  return (
    <>
      <FlagFilters flags={flags} filter={filter} onChange={changeFilter} />
      {chosen.length === 0 ? null : (
        <BulkActions project={project} flags={chosen} onDone={() => setSelected(new Set())} />
      )}
      <div className="flag-count">
        <p className="muted" role="status">
          {describeShown(shown.length, flags.length, "flag")}
        </p>
        <ColumnChoice
          columns={hideableColumns(columns)}
          hidden={hidden}
          onChange={(ids) => {
            setHidden(ids);
            rememberHiddenColumns(ids);
          }}
        />
      </div>
      {shown.length === 0 ? (
        <Empty title="No flag matches">
          <OtherHits text={filter.query} project={project} isArchive={false} />
          <Button onPress={() => changeFilter(NO_FILTER)}>Show all flags</Button>
        </Empty>
      ) : (
        <FlagList
          project={project}
          flags={shown}
          columns={visible}
          selected={selected}
          onSelect={setSelected}
          sort={filter.sort}
          onSort={(sort) => changeFilter(readListSearch(FLAG_FIELDS, { ...filter, sort }))}
        />
      )}
    </>
  );
}
