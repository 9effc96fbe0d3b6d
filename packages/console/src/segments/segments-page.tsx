import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { queries } from "../api/queries.ts";
import type { Segment } from "../api/types.ts";
import { SEGMENT_FIELDS } from "../app/list-fields.ts";
import { ConstraintList } from "../constraints/constraint-summary.tsx";
import { useHasRole } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/numbers.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { LinkedText } from "../ui/linked-text.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { useCreating } from "../ui/use-creating.ts";
import { useListState } from "../ui/use-list-state.ts";
import { matchesWords, toWords } from "../ui/words.ts";
import { EditSegmentDialog, SegmentDialog } from "./segment-dialog.tsx";
import { DeleteSegmentDialog, SegmentReferencesDialog } from "../references/segment-references.tsx";

/** Named lists of constraints that several strategies share. */
export function SegmentsPage() {
  const segments = useQuery(queries.segments());
  const canEdit = useHasRole("editor");
  const [isCreating, setCreating] = useCreating();
  return (
    <Page
      title="Segments"
      description="A segment describes a group of users once, for example the customers in a country, so that many flags can use it."
      actions={
        canEdit ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New segment
          </Button>
        ) : undefined
      }
    >
      <Loaded query={segments}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no segments yet">
              <p>
                Create one for a group of users that several flags need. A change to the segment
                applies to all of them.
              </p>
              {canEdit ? (
                <Button variant="primary" onPress={() => setCreating(true)}>
                  Create the first segment
                </Button>
              ) : null}
            </Empty>
          ) : (
            <Segments segments={all} canEdit={canEdit} />
          )
        }
      </Loaded>
      {isCreating ? <SegmentDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

interface Action {
  readonly kind: "delete" | "edit" | "references";
  readonly segment: Segment;
}

interface SegmentsProps {
  readonly segments: readonly Segment[];
  readonly canEdit: boolean;
}

function Segments({ segments, canEdit }: SegmentsProps) {
  const { data: projects = [] } = useQuery(queries.projects());
  const [{ query, sort }, changeList] = useListState(SEGMENT_FIELDS);
  const setQuery = (text: string): void => changeList({ query: text });
  const [action, setAction] = useState<Action>();
  const shown = useMemo(() => {
    const words = toWords(query);
    return segments.filter(({ name, description }) => matchesWords(words, name, description));
  }, [segments, query]);
  const close = (): void => setAction(undefined);
  const columns: readonly Column<Segment>[] = [
    {
      id: "name",
      header: "Name",
      isRowHeader: true,
      sortBy: ({ name }) => name.toLowerCase(),
      cell: ({ name, description, project }) => (
        <>
          <span className="row">
            {name}
            {project === undefined ? null : (
              <Badge>{projects.find(({ id }) => id === project)?.name ?? project}</Badge>
            )}
          </span>
          {description ? (
            <p className="data-detail">
              <LinkedText text={description} />
            </p>
          ) : null}
        </>
      ),
    },
    {
      id: "constraints",
      header: "Users with",
      width: "40%",
      cell: ({ constraints }) =>
        constraints.length === 0 ? (
          <span className="muted">all users</span>
        ) : (
          <ConstraintList constraints={constraints} />
        ),
    },
    {
      id: "uses",
      header: "Used in",
      width: "7rem",
      sortBy: ({ usedInFeatures }) => usedInFeatures,
      startsDescending: true,
      cell: ({ usedInFeatures }) =>
        usedInFeatures === 0 ? (
          <span className="muted">no flag</span>
        ) : (
          describeCount(usedInFeatures, "flag")
        ),
    },
    menuColumn(
      (segment) => segment.name,
      (segment) => [
        ...(canEdit ? [{ label: "Edit", run: () => setAction({ kind: "edit", segment }) }] : []),
        { label: "Where it is used", run: () => setAction({ kind: "references", segment }) },
        ...(canEdit
          ? [
              {
                label: "Delete",
                isDangerous: true,
                run: () => setAction({ kind: "delete", segment }),
              },
            ]
          : []),
      ],
    ),
  ];
  return (
    <>
      <div className="row" role="search">
        <SearchField label="Search by name or description" value={query} onChange={setQuery} />
      </div>
      {shown.length === 0 ? (
        <Empty title="No segment matches">
          <Button onPress={() => setQuery("")}>Show all segments</Button>
        </Empty>
      ) : (
        <DataTable
          label="Segments"
          rows={shown}
          keyOf={({ id }) => String(id)}
          columns={columns}
          sort={sort}
          onSort={(next) => changeList({ sort: next })}
        />
      )}
      {action?.kind === "edit" ? (
        <EditSegmentDialog id={action.segment.id} onClose={close} />
      ) : null}
      {action?.kind === "references" ? (
        <SegmentReferencesDialog segment={action.segment} onClose={close} />
      ) : null}
      {action?.kind === "delete" ? (
        <DeleteSegmentDialog segment={action.segment} onClose={close} />
      ) : null}
    </>
  );
}
