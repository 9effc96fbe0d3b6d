import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ContextFieldSummary } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { menuColumn } from "../ui/menu.tsx";
import type { Sort } from "../ui/sort.ts";
import { EditContextFieldDialog } from "./context-field-dialog.tsx";
import {
  ContextFieldReferencesDialog,
  DeleteContextFieldDialog,
  segmentsWith,
} from "../references/context-field-references.tsx";

interface Action {
  readonly kind: "edit" | "delete" | "references";
  readonly name: string;
}

interface ContextFieldTableProps {
  readonly fields: readonly ContextFieldSummary[];
  readonly canEdit: boolean;
  /** The order. Without it, the headings do not sort. */
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
}

/** Context fields, with what can be done with each of them. */
export function ContextFieldTable({ fields, canEdit, ...order }: ContextFieldTableProps) {
  const [action, setAction] = useState<Action>();
  const dialog = { name: action?.name ?? "", onClose: () => setAction(undefined) };
  const actions: Column<ContextFieldSummary> = menuColumn(
    ({ name }) => name,
    ({ name }) => [
      ...(canEdit ? [{ label: "Edit", run: () => setAction({ kind: "edit", name }) }] : []),
      { label: "Where it is used", run: () => setAction({ kind: "references", name }) },
      ...(canEdit
        ? [
            {
              label: "Delete",
              isDangerous: true,
              run: () => setAction({ kind: "delete", name }),
            },
          ]
        : []),
    ],
  );
  return (
    <>
      <DataTable
        label="Context fields"
        rows={fields}
        keyOf={({ name }) => name}
        columns={[...COLUMNS, actions]}
        {...order}
      />
      {action?.kind === "edit" ? <EditContextFieldDialog {...dialog} /> : null}
      {action?.kind === "references" ? <ContextFieldReferencesDialog {...dialog} /> : null}
      {action?.kind === "delete" ? <DeleteContextFieldDialog {...dialog} /> : null}
    </>
  );
}

const COLUMNS: readonly Column<ContextFieldSummary>[] = [
  {
    id: "name",
    header: "Name",
    isRowHeader: true,
    sortBy: ({ name }) => name.toLowerCase(),
    cell: ({ name, description, stickiness }) => (
      <>
        <span className="row">
          {name}
          {stickiness ? <Badge kind="accent">stickiness</Badge> : null}
        </span>
        {description ? <p className="data-detail">{description}</p> : null}
      </>
    ),
  },
  {
    id: "values",
    header: "Allowed values",
    width: "28%",
    cell: ({ legalValues }) => (
      <LegalValuesSummary values={legalValues.map(({ value }) => value)} />
    ),
  },
  {
    id: "uses",
    header: "Used in",
    width: "9rem",
    sortBy: ({ usedInFeatures }) => usedInFeatures,
    startsDescending: true,
    cell: (field) => <UseCount field={field} />,
  },
];

/** How many flags and segments use a field. */
function UseCount({ field: { name, usedInFeatures } }: { readonly field: ContextFieldSummary }) {
  const { data: segments } = useQuery(segmentsWith(name));
  if (segments === undefined) return null;
  const uses = [
    ...(usedInFeatures === 0 ? [] : [describeCount(usedInFeatures, "flag")]),
    ...(segments.length === 0 ? [] : [describeCount(segments.length, "segment")]),
  ];
  return uses.length === 0 ? <span className="muted">nothing</span> : uses.join(", ");
}

const SHOWN_VALUES = 3;

function LegalValuesSummary({ values }: { readonly values: readonly string[] }) {
  if (values.length === 0) return <span className="muted">any</span>;
  const others = values.length - SHOWN_VALUES;
  return (
    <span>
      {values.slice(0, SHOWN_VALUES).join(", ")}
      {others > 0 ? <span className="muted"> and {formatCount(others)} more</span> : null}
    </span>
  );
}
