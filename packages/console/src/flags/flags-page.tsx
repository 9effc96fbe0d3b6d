import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { Plus } from "lucide-react";
import { queries } from "../api/queries.ts";
import type { FlagSummary } from "../api/types.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { CreateFlagDialog } from "./create-flag-dialog.tsx";
import { filterFlags, NO_FILTER } from "./filter-flags.ts";
import { FlagFilters } from "./flag-filters.tsx";
import { FlagList } from "./flag-list.tsx";
import { describeShown } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";

const route = getRouteApi("/shell/projects/$project/flags");

/** The flags of a project. */
export function FlagsPage() {
  const { project } = route.useParams();
  const flags = useQuery(queries.flags(project));
  const canEdit = useHasRole("editor");
  const [isCreating, setCreating] = useState(false);
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
      <Loaded query={flags}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="This project has no flags yet">
              <p>A flag switches a part of your application on or off without a new release.</p>
              {canEdit ? (
                <Button variant="primary" onPress={() => setCreating(true)}>
                  Create the first flag
                </Button>
              ) : null}
            </Empty>
          ) : (
            <FilteredFlags key={project} project={project} flags={all} />
          )
        }
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
  const [filter, setFilter] = useState(NO_FILTER);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // Typing stays smooth with thousands of flags.
  const deferredFilter = useDeferredValue(filter);
  const shown = useMemo(() => filterFlags(flags, deferredFilter), [flags, deferredFilter]);
  const chosen = useMemo(() => shown.filter(({ name }) => selected.has(name)), [shown, selected]);
  return (
    <>
      <FlagFilters flags={flags} filter={filter} onChange={setFilter} />
      {chosen.length === 0 ? null : (
        <BulkActions project={project} flags={chosen} onDone={() => setSelected(new Set())} />
      )}
      <p className="muted" role="status">
        {describeShown(shown.length, flags.length, "flag")}
      </p>
      {shown.length === 0 ? (
        <Empty title="No flag matches">
          <Button onPress={() => setFilter(NO_FILTER)}>Show all flags</Button>
        </Empty>
      ) : (
        <FlagList
          project={project}
          flags={shown}
          selected={selected}
          onSelect={setSelected}
          filter={filter}
          onFilter={setFilter}
        />
      )}
    </>
  );
}
