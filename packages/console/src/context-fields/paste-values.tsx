import { useState } from "react";
import type { LegalValue } from "../api/types.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { TextField } from "../ui/fields.tsx";
import { parsePastedValues } from "./legal-values.ts";

interface PasteValuesProps {
  /** The values that are already in the list. */
  readonly values: readonly LegalValue[];
  readonly onAdd: (values: readonly LegalValue[]) => void;
}

const SHOWN_PROBLEMS = 5;

/** A field for many values at once. */
export function PasteValues({ values, onAdd }: PasteValuesProps) {
  const [text, setText] = useState("");
  const pasted = parsePastedValues(text);
  const known = new Set(values.map(({ value }) => value));
  const repeated = pasted.values.filter(({ value }) => known.has(value)).length;
  return (
    <div className="paste-values">
      <TextField
        label="One value per line"
        description="In lines copied from a spreadsheet, the second column is the description."
        value={text}
        onChange={setText}
        rows={6}
        isCode
        autoFocus
      />
      {pasted.problems.length === 0 ? null : (
        <Banner kind="warning">
          These lines are skipped:
          <ul>
            {pasted.problems.slice(0, SHOWN_PROBLEMS).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
            {pasted.problems.length > SHOWN_PROBLEMS ? (
              <li>and {formatCount(pasted.problems.length - SHOWN_PROBLEMS)} more</li>
            ) : null}
          </ul>
        </Banner>
      )}
      <div className="row">
        <Button
          size="small"
          onPress={() => onAdd(pasted.values)}
          isDisabled={pasted.values.length === 0}
        >
          Add {describeCount(pasted.values.length, "value")}
        </Button>
        {repeated === 0 ? null : (
          <span className="muted">{repeated} of them are already in the list</span>
        )}
      </div>
    </div>
  );
}
