import { Plus, Trash2 } from "lucide-react";
import type { Constraint, ContextField } from "../api/types.ts";
import { legalValuesOf, useAvailableFields } from "../context-fields/use-available-fields.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Checkbox, TextField } from "../ui/fields.tsx";
import { useListEditing, useUpdates } from "../ui/list-editing.ts";
import { fromLocalTime, toLocalTime } from "../ui/times.ts";
import { showElement } from "../ui/scroll.ts";
import { ComboBox } from "../ui/combo-box.tsx";
import { Select } from "../ui/select.tsx";
import { ConstraintSummary } from "./constraint-summary.tsx";
import { ContextFieldBox } from "./context-field-box.tsx";
import { operatorChoices, operatorOf, takesList, withField, withOperator } from "./operators.ts";
import { ValueListField } from "./value-list-field.tsx";
import {
  describeIllegalValues,
  describeListProblem,
  describeValueProblem,
  MAX_CONSTRAINTS,
  maxValuesOf,
} from "./values.ts";
import "./constraints.css";

interface ConstraintEditorProps {
  readonly value: readonly Constraint[];
  readonly onChange: (constraints: readonly Constraint[]) => void;
  /** Whether the constraints are those of a segment, whose lists can be long. @default false */
  readonly isSegment?: boolean;
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
export function ConstraintEditor({ value, onChange, isSegment = false }: ConstraintEditorProps) {
  const fields = useAvailableFields();
  const list = useListEditing(value, useUpdates(value, onChange));
  return (
    <div className="constraint-editor">
      {value.map((constraint, index) => (
        <ConstraintFields
          key={list.keys[index]}
          label={`Constraint ${index + 1}`}
          constraint={constraint}
          fields={fields}
          isSegment={isSegment}
          autoFocus={list.isNew(index)}
          onChange={(change) => list.change(index, change)}
          onRemove={() => list.remove(index)}
        />
      ))}
      <div>
        <Button
          ref={list.addButton}
          size="small"
          isDisabled={value.length >= MAX_CONSTRAINTS}
          onPress={() => list.add(NEW_CONSTRAINT)}
        >
          <Plus aria-hidden /> Add constraint
        </Button>
      </div>
    </div>
  );
}

interface ConstraintFieldsProps {
  readonly label: string;
  readonly constraint: Constraint;
  readonly fields: readonly ContextField[];
  readonly isSegment: boolean;
  readonly onChange: (change: (constraint: Constraint) => Constraint) => void;
  readonly onRemove: () => void;
  readonly autoFocus: boolean;
}

/** Edits one constraint. */
function ConstraintFields(props: ConstraintFieldsProps) {
  const { label, constraint, fields, onChange, onRemove, autoFocus } = props;
  const { contextName, operator, inverted, caseInsensitive } = constraint;
  const { supportsCase, supportsInversion, kind } = operatorOf(operator);
  return (
    <div
      className="constraint"
      role="group"
      aria-label={label}
      ref={autoFocus ? showElement : null}
    >
      <div className="constraint-title">
        <ConstraintSummary constraint={constraint} />
        <IconButton label={`Remove ${label.toLowerCase()}`} onPress={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      <div className="constraint-fields">
        <ContextFieldBox
          fields={fields}
          value={contextName}
          autoFocus={autoFocus}
          onChange={(name) => onChange((latest) => withField(latest, name))}
          {...(kind === "date" && {
            description: "Times are compared with the time of the evaluation.",
          })}
        />
        <Select
          label="Condition"
          choices={operatorChoices(operator)}
          value={operator}
          onChange={(changed) => onChange((latest) => withOperator(latest, changed))}
        />
      </div>
      <ValueFields {...props} />
      {supportsInversion || supportsCase ? (
        <div className="constraint-options">
          {supportsInversion ? (
            <Checkbox
              label="Invert: matches if the condition is not met"
              isSelected={inverted}
              onChange={(isSelected) => onChange((latest) => ({ ...latest, inverted: isSelected }))}
            />
          ) : null}
          {supportsCase ? (
            <Checkbox
              label="Ignore upper and lower case"
              isSelected={caseInsensitive}
              onChange={(isSelected) =>
                onChange((latest) => ({ ...latest, caseInsensitive: isSelected }))
              }
            />
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function ValueFields({ constraint, fields, isSegment, onChange }: ConstraintFieldsProps) {
  const { operator, contextName, values, value = "" } = constraint;
  const { kind } = operatorOf(operator);
  const legalValues = legalValuesOf(fields, contextName);
  const setValue = (changed: string): void => onChange((latest) => ({ ...latest, value: changed }));
  if (takesList(operator)) {
    const maxValues = maxValuesOf(operator, isSegment);
    return (
      <ValueListField
        maxValues={maxValues}
        values={values}
        onChange={(changed) => onChange((latest) => ({ ...latest, values: changed }))}
        suggestions={legalValues}
        {...(kind === "addressRanges" && { placeholder: "10.0.0.0/8" })}
        validate={(list) => describeListProblem(list, { kind, legalValues, maxValues })}
      />
    );
  }
  const validate = (text: string): string | undefined =>
    describeValueProblem(kind, text) ?? describeIllegalValues([text], legalValues);
  if (kind === "date") {
    return (
      <TextField
        label="Date and time"
        type="datetime-local"
        value={toLocalTime(value)}
        onChange={(text) => setValue(fromLocalTime(text))}
        description="In the time zone of this browser."
        validate={() => validate(value)}
      />
    );
  }
  if (legalValues.length > 0) {
    return (
      <ComboBox
        label="Value"
        choices={legalValues.map((legal) => ({ id: legal, label: legal }))}
        value={value}
        onChange={setValue}
        validate={validate}
      />
    );
  }
  return (
    <TextField
      label={VALUE_LABELS[kind]}
      value={value}
      onChange={setValue}
      isCode={kind === "pattern"}
      maxLength={1000}
      validate={validate}
    />
  );
}

const VALUE_LABELS = {
  strings: "Value",
  addressRanges: "Value",
  number: "Number",
  date: "Date and time",
  version: "Version",
  pattern: "Pattern (RE2 syntax)",
} as const;
