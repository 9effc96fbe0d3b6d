import { useMemo, useState } from "react";
import type { ImportItem, ImportReport } from "../api/types.ts";
import { describeImport } from "../flags/consequence.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Consequence } from "../ui/consequence.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Checkbox, SearchField } from "../ui/fields.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Select } from "../ui/select.tsx";
import { matchesWords, toWords } from "../ui/words.ts";
import {
  approvalOf,
  countFlags,
  describeApproval,
  describeEffects,
  EFFECTS,
  hasChanges,
  sortItems,
} from "./import-items.ts";

interface ImportPreviewProps {
  readonly report: ImportReport;
  /** Whether what was changed here is replaced. */
  readonly overwrites: boolean;
  readonly onOverwrite: (overwrites: boolean) => void;
  /** The names of the environments that change and where people have to know it. */
  readonly askingEnvironments: readonly string[];
  readonly isPending: boolean;
  readonly onImport: () => void;
  readonly onCancel: () => void;
}

/** Shows what an import would change. */
export function ImportPreview({
  report,
  overwrites,
  onOverwrite,
  askingEnvironments,
  isPending,
  onImport,
  onCancel,
}: ImportPreviewProps) {
  const changes = countFlags(report.items, "created", "updated");
  const approval = approvalOf(report);
  const hasReplaceable = report.items.some(({ replaceable }) => replaceable === true);
  return (
    <div className="stack import-preview" role="region" aria-label="Preview">
      <p role="status">{describeEffects(report)}</p>
      {hasReplaceable || overwrites ? (
        <Checkbox
          label="Also replace what was changed here"
          isSelected={overwrites}
          onChange={onOverwrite}
        />
      ) : null}
      <div className="row">
        <Button
          variant="primary"
          isPending={isPending}
          isDisabled={!hasChanges(report) || approval === "never"}
          onPress={onImport}
        >
          {approval === "review"
            ? "Send to review"
            : changes === 0
              ? "Import"
              : `Import ${describeCount(changes, "flag")}`}
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
        <Consequence
          text={describeApproval(report) ?? describeImport(changes, askingEnvironments)}
        />
      </div>
      <ItemTable items={report.items} />
    </div>
  );
}

type EffectFilter = ImportItem["effect"] | "all";

function ItemTable({ items }: { readonly items: readonly ImportItem[] }) {
  const [query, setQuery] = useState("");
  const [effect, setEffect] = useState<EffectFilter>("all");
  const sorted = useMemo(() => sortItems(items), [items]);
  const shown = useMemo(() => {
    const words = toWords(query);
    return sorted.filter(
      (item) => (effect === "all" || item.effect === effect) && matchesWords(words, item.name),
    );
  }, [sorted, query, effect]);
  const present = new Set(items.map((item) => item.effect));
  if (items.length === 0) return null;
  return (
    <>
      <div className="preview-filters" role="search">
        <SearchField label="Search the contents of the file" value={query} onChange={setQuery} />
        <Select<EffectFilter>
          label="Effect"
          hidesLabel
          choices={[
            { id: "all", label: "All effects" },
            ...(Object.keys(EFFECTS) as ImportItem["effect"][])
              .filter((one) => present.has(one))
              .map((one) => ({ id: one, label: EFFECTS[one].choice })),
          ]}
          value={effect}
          onChange={setEffect}
        />
      </div>
      {shown.length === 0 ? (
        <p className="muted">Nothing matches.</p>
      ) : (
        <DataTable label="Contents of the file" rows={shown} keyOf={keyOf} columns={COLUMNS} />
      )}
    </>
  );
}

function keyOf({ kind, name, project = "" }: ImportItem): string {
  return `${kind} ${project} ${name}`;
}

const COLUMNS: readonly Column<ImportItem>[] = [
  {
    id: "name",
    header: "Name",
    isRowHeader: true,
    cell: ({ name, kind }) => (name === "" ? `All ${kind}` : name),
  },
  {
    id: "kind",
    header: "What",
    width: "9rem",
    cell: ({ kind }) => kind,
  },
  {
    id: "effect",
    header: "Effect",
    cell: ({ effect, reason }) => (
      <div className="import-effect">
        <Badge kind={EFFECTS[effect].kind}>{EFFECTS[effect].label}</Badge>
        {reason === undefined ? null : <span>{reason}</span>}
      </div>
    ),
  },
];
