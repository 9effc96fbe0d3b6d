import type { ImportReport } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/numbers.ts";
import { countFlags, listMissing } from "./import-items.ts";

interface ImportResultProps {
  readonly fileName: string;
  readonly report: ImportReport;
  readonly onClose: () => void;
}

/** Says what an import has done, and lists what it has not imported. */
export function ImportResult({ fileName, report, onClose }: ImportResultProps) {
  const missing = listMissing(report);
  const count = countFlags(report.items, "created", "updated");
  return (
    <div className="stack import-preview" role="region" aria-label="Result">
      <p>
        Imported {describeCount(count, "flag")} from <strong>{fileName}</strong>. Not imported:
      </p>
      <ul className="left-out">
        {missing.map(({ kind, name, project = "", reason }) => (
          <li key={`${kind} ${project} ${name}`}>
            {kind} <strong>{name}</strong>: {reason}
          </li>
        ))}
      </ul>
      <div>
        <Button onPress={onClose}>Close</Button>
      </div>
    </div>
  );
}
