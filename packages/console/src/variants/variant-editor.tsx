import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { FlagVariant } from "../api/types.ts";
import { Banner } from "../ui/banner.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { describeNameProblem } from "../ui/describe-name-problem.ts";
import { TextField } from "../ui/fields.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { Select } from "../ui/select.tsx";
import { showElement } from "../ui/scroll.ts";
import { useListEditing, useUpdates } from "../ui/list-editing.ts";
import { OverrideEditor } from "./overrides.tsx";
import { describePayloadProblem, PAYLOAD_TYPES } from "./payload.ts";
import { VariantBar } from "./variant-bar.tsx";
import { fixedWeight, formatWeight, TOTAL_WEIGHT, withWeights } from "./weights.ts";
import "./variants.css";

const MAX_VARIANTS = 100;

interface VariantEditorProps {
  readonly value: readonly FlagVariant[];
  readonly onChange: (variants: readonly FlagVariant[]) => void;
  /** The context field that decides who gets which variant, for new variants. */
  readonly stickiness: string;
  /** Whether contexts can get a variant regardless of its share. @default false */
  readonly allowsOverrides?: boolean;
}

/** Edits a list of variants. One of them always shares the rest, so that the weights add up to 100%. */
export function VariantEditor({
  value,
  onChange,
  stickiness,
  allowsOverrides = false,
}: VariantEditorProps) {
  const update = useUpdates(value, onChange);
  const list = useListEditing(value, (edit) =>
    update((variants) => withWeights(withVariable(edit(variants)))),
  );
  const variableCount = value.filter(({ weightType }) => weightType !== "fix").length;
  const isTooMuch = fixedWeight(value) > TOTAL_WEIGHT;
  return (
    <div className="variant-editor">
      {value.length === 0 ? null : <VariantBar variants={value} />}
      {isTooMuch ? <Banner kind="error">The fixed shares add up to more than 100%.</Banner> : null}
      {value.map((variant, index) => (
        <VariantFields
          key={list.keys[index]}
          variant={variant}
          label={`Variant ${index + 1}`}
          otherNames={value.toSpliced(index, 1).map(({ name }) => name)}
          isLastVariable={variant.weightType !== "fix" && variableCount === 1}
          isTooMuch={isTooMuch}
          allowsOverrides={allowsOverrides}
          autoFocus={list.isNew(index)}
          onChange={(change) => list.change(index, change)}
          onRemove={() => list.remove(index)}
        />
      ))}
      <div>
        <Button
          ref={list.addButton}
          size="small"
          isDisabled={value.length >= MAX_VARIANTS}
          onPress={() => list.add({ name: "", weight: 0, weightType: "variable", stickiness })}
        >
          <Plus aria-hidden /> Add variant
        </Button>
      </div>
    </div>
  );
}

/** The service requires that one variant has no fixed weight. */
function withVariable(variants: readonly FlagVariant[]): readonly FlagVariant[] {
  const [first] = variants;
  if (first === undefined || variants.some(({ weightType }) => weightType !== "fix")) {
    return variants;
  }
  return variants.with(0, { ...first, weightType: "variable" });
}

interface VariantFieldsProps {
  readonly label: string;
  readonly variant: FlagVariant;
  readonly otherNames: readonly string[];
  /** Whether no other variant shares the rest. */
  readonly isLastVariable: boolean;
  readonly isTooMuch: boolean;
  readonly allowsOverrides: boolean;
  readonly autoFocus: boolean;
  readonly onChange: (change: (variant: FlagVariant) => FlagVariant) => void;
  readonly onRemove: () => void;
}

function VariantFields({
  label,
  variant,
  otherNames,
  isLastVariable,
  isTooMuch,
  allowsOverrides,
  autoFocus,
  onChange,
  onRemove,
}: VariantFieldsProps) {
  const { name, weight, weightType, overrides = [] } = variant;
  // A name that the service has already accepted must not prevent other changes from being saved.
  const [acceptedName] = useState(name);
  return (
    <div className="variant" role="group" aria-label={label} ref={autoFocus ? showElement : null}>
      <div className="variant-title">
        <span>
          {label} <span className="muted">{formatWeight(weight)}</span>
        </span>
        <IconButton label={`Remove ${label.toLowerCase()}`} onPress={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      <div className="variant-fields">
        <TextField
          label="Name"
          value={name}
          onChange={(changed) => onChange((latest) => ({ ...latest, name: changed }))}
          isRequired
          autoFocus={autoFocus}
          maxLength={100}
          dependsOn={otherNames.join(" ")}
          validate={(text) => {
            if (text === acceptedName) return undefined;
            if (otherNames.includes(text)) return "Another variant has this name.";
            return describeNameProblem(text);
          }}
        />
        <Select
          label="Share"
          choices={[
            { id: "variable", label: "Shared evenly" },
            { id: "fix", label: "Fixed" },
          ]}
          value={weightType}
          isDisabled={isLastVariable}
          onChange={(changed) => onChange((latest) => ({ ...latest, weightType: changed }))}
          {...(isLastVariable && { description: "At least one variant must share the rest." })}
        />
        {weightType === "fix" ? (
          <NumberField
            label="Percentage"
            value={weight / 10}
            minValue={0}
            maxValue={100}
            step={0.1}
            onChange={(percentage) =>
              onChange((latest) => ({ ...latest, weight: Math.round((percentage || 0) * 10) }))
            }
            validate={() => (isTooMuch ? "The fixed shares add up to more than 100%." : undefined)}
          />
        ) : null}
      </div>
      <PayloadFields variant={variant} onChange={onChange} />
      {allowsOverrides ? (
        <OverrideEditor
          label={label}
          overrides={overrides}
          onChange={(change) =>
            onChange(({ overrides: latest = [], ...rest }) => {
              const changed = change(latest);
              return changed.length === 0 ? rest : { ...rest, overrides: changed };
            })
          }
        />
      ) : null}
    </div>
  );
}

interface PayloadFieldsProps {
  readonly variant: FlagVariant;
  readonly onChange: (change: (variant: FlagVariant) => FlagVariant) => void;
}

function PayloadFields({ variant: { payload }, onChange }: PayloadFieldsProps) {
  const { type, value } = payload ?? { type: "none", value: "" };
  return (
    <div className="variant-fields">
      <Select
        label="Payload"
        choices={Object.entries(PAYLOAD_TYPES).map(([id, name]) => ({ id, label: name }))}
        value={type}
        onChange={(changed) =>
          onChange(({ payload: _removed, ...latest }) =>
            changed === "none" ? latest : { ...latest, payload: { type: changed, value } },
          )
        }
      />
      {payload === undefined ? null : (
        <TextField
          label="Value"
          value={value}
          onChange={(text) => onChange((latest) => ({ ...latest, payload: { type, value: text } }))}
          rows={type === "number" ? 1 : 3}
          isCode={type !== "string"}
          validate={(text) => describePayloadProblem(type, text)}
        />
      )}
    </div>
  );
}
