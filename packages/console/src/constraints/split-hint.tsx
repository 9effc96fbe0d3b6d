import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/numbers.ts";
import { splitValues } from "./values.ts";

interface SplitHintProps {
  readonly values: readonly string[];
  /** Values that are right as they are: those from before the edit, and legal ones. */
  readonly known: readonly string[];
  readonly onSplit: (values: readonly string[]) => void;
}

/** Asks about new values that look like several, such as "a b": some values contain spaces, so this is no error. */
export function SplitHint({ values, known, onSplit }: SplitHintProps) {
  const { joined, split, parts } = splitValues(values, known);
  const [first, ...others] = joined;
  if (first === undefined) return null;
  return (
    <div className="row field-description" role="status">
      <span>
        “{first}”
        {others.length === 0
          ? " is one value."
          : ` and ${describeCount(others.length, "other")} are one value each.`}
      </span>
      <Button size="small" onPress={() => onSplit(split)}>
        Split into {describeCount(parts.length, "value")}
      </Button>
    </div>
  );
}
