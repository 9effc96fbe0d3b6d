import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import type { Constraint } from "../api/types.ts";
import { useAvailableFields } from "../context-fields/use-available-fields.ts";
import { Button } from "../ui/button.tsx";
import { useUpdates, withChanged, useRowKeys } from "../ui/list-editing.ts";
import { MAX_CONSTRAINTS } from "./values.ts";
import { ConstraintFields } from "./constraint-fields.tsx";
import "./constraints.css";

interface ConstraintEditorProps {
  readonly value: readonly Constraint[];
  readonly onChange: (constraints: readonly Constraint[]) => void;
}

const NEW_CONSTRAINT: Constraint = {
  contextName: "",
  operator: "IN",
  values: [],
  inverted: false,
  caseInsensitive: false,
};

/**
 * Edits a list of constraints that must all be met. A form with invalid constraints cannot be submitted.
 */
export function ConstraintEditor({ value, onChange }: ConstraintEditorProps) {
  const fields = useAvailableFields();
  const { keys, remove } = useRowKeys(value.length);
  const [hasAdded, setAdded] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  const update = useUpdates(value, onChange);
  return (
    <div className="constraint-editor">
      {value.map((constraint, index) => (
        <ConstraintFields
          key={keys[index]}
          label={`Constraint ${index + 1}`}
          constraint={constraint}
          fields={fields}
          autoFocus={hasAdded && index === value.length - 1}
          onChange={(change) => update((list) => withChanged(list, index, change))}
          onRemove={() => {
            remove(index);
            update((list) => list.toSpliced(index, 1));
            // Without this, the dialog would move the focus to its first button.
            addButton.current?.focus();
          }}
        />
      ))}
      <div>
        <Button
          ref={addButton}
          size="small"
          isDisabled={value.length >= MAX_CONSTRAINTS}
          onPress={() => {
            setAdded(true);
            update((list) => [...list, NEW_CONSTRAINT]);
          }}
        >
          <Plus aria-hidden /> Add constraint
        </Button>
      </div>
    </div>
  );
}
