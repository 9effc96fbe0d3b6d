import { useMemo, useState } from "react";
import type { ImportReport } from "../api/types.ts";
import { describeImport } from "../flags/consequence.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Consequence } from "../ui/consequence.tsx";
import { describeCount } from "../ui/numbers.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { matchesWords, toWords } from "../ui/words.ts";

const EFFECTS = {
  created: { label: "new", kind: "good" },
  updated: { label: "changed", kind: "accent" },
  unchanged: { label: "unchanged", kind: "neutral" },
} as const;

type Effect = keyof typeof EFFECTS;

interface PreviewedFlag {
  readonly name: string;
  readonly effect: Effect;
}

interface ImportPreviewProps {
  readonly fileName: string;
  readonly report: ImportReport;
  /** The only environment that changes. By default, all in the file. */
  readonly environment?: string | undefined;
  /** The names of the environments that change and where people have to know it. */
  readonly askingEnvironments: readonly string[];
  readonly isPending: boolean;
  readonly onImport: () => void;
  readonly onCancel: () => void;
}

/** Shows what an import would change. */
export function ImportPreview({
  fileName,
  report,
  environment,
  askingEnvironments,
  isPending,
  onImport,
  onCancel,
}: ImportPreviewProps) {
  const { created, updated, unchanged } = report;
  const changes = created.length + updated.length;
  return (
    <div className="stack import-preview" role="region" aria-label="Preview">
      <p role="status">
        <strong>{fileName}</strong>:{" "}
        {changes === 0
          ? `nothing to import. ${describeCount(unchanged.length, "flag")} in the file ${unchanged.length === 1 ? "is" : "are"} already the same here.`
          : `${describeCount(created.length, "new flag")}, ${describeCount(updated.length, "changed flag")}, ${describeCount(unchanged.length, "unchanged flag")}.`}{" "}
        {changes === 0
          ? null
          : `${environment === undefined ? "Segments, context" : "Context"} fields and types that are missing here are created too.`}
      </p>
      <div className="row">
        <Button
          variant="primary"
          isPending={isPending}
          isDisabled={changes === 0}
          onPress={onImport}
        >
          Import {describeCount(changes, "flag")}
          {environment === undefined ? "" : ` into ${environment}`}
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
        <Consequence text={describeImport(changes, askingEnvironments)} />
      </div>
      <PreviewedFlags report={report} />
    </div>
  );
}

function PreviewedFlags({ report }: { readonly report: ImportReport }) {
  const [query, setQuery] = useState("");
  const [effect, setEffect] = useState<Effect | "all">("all");
  const flags = useMemo(
    () =>
      (["created", "updated", "unchanged"] as const).flatMap((kind) =>
        report[kind].map((name): PreviewedFlag => ({ name, effect: kind })),
      ),
    [report],
  );
  const shown = useMemo(() => {
    const words = toWords(query);
    return flags.filter(
      (flag) => (effect === "all" || flag.effect === effect) && matchesWords(words, flag.name),
    );
  }, [flags, query, effect]);
  if (flags.length === 0) return null;
  return (
    <>
      <div className="preview-filters" role="search">
        <SearchField label="Search the flags of the file" value={query} onChange={setQuery} />
        <Select
          label="Effect"
          hidesLabel
          choices={[
            { id: "all", label: "All flags" },
            { id: "created", label: "New flags" },
            { id: "updated", label: "Changed flags" },
            { id: "unchanged", label: "Unchanged flags" },
          ]}
          value={effect}
          onChange={setEffect}
        />
      </div>
      {shown.length === 0 ? (
        <p className="muted">No flag matches.</p>
      ) : (
        <DataTable
          label="Flags in the file"
          rows={shown}
          keyOf={({ name }) => name}
          columns={COLUMNS}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<PreviewedFlag>[] = [
  { id: "name", header: "Flag", isRowHeader: true, cell: ({ name }) => name },
  {
    id: "effect",
    header: "Effect",
    width: "10rem",
    cell: ({ effect }) => <Badge kind={EFFECTS[effect].kind}>{EFFECTS[effect].label}</Badge>,
  },
];
