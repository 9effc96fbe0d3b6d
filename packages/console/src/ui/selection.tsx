import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import "./selection.css";

interface SelectionProps {
  readonly label: string;
  /** How much is selected, for example "3 flags". */
  readonly count: string;
  readonly onClear: () => void;
  /** Buttons for what can be done with the selection. */
  readonly children: ReactNode;
}

/** What can be done with the selected rows of a table. */
export function Selection({ label, count, onClear, children }: SelectionProps) {
  return (
    <div className="selection card" role="group" aria-label={label}>
      <strong>{count} selected</strong>
      {children}
      <Button size="small" variant="quiet" onPress={onClear}>
        Clear selection
      </Button>
    </div>
  );
}

/** Returns a copy of a set with or without an entry. */
export function withEntry(
  set: ReadonlySet<string>,
  entry: string,
  isIncluded: boolean,
): ReadonlySet<string> {
  const changed = new Set(set);
  if (isIncluded) changed.add(entry);
  else changed.delete(entry);
  return changed;
}
