import { Plus, Trash2 } from "lucide-react";
import type { FlagVariant, VariantOverride } from "../api/types.ts";
import { describeListProblem } from "../constraints/values.ts";
import { ContextFieldBox } from "../constraints/context-field-box.tsx";
import { ValueListField } from "../constraints/value-list-field.tsx";
import { legalValuesOf, useAvailableFields } from "../context-fields/use-available-fields.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { formatCount } from "../ui/numbers.ts";
import { useListEditing } from "../ui/list-editing.ts";

/** Limits of the service. */
const MAX_OVERRIDES = 100;
const MAX_VALUES = 1000;

interface OverrideEditorProps {
  /** What the overrides belong to, for screen readers, for example "Variant 1". */
  readonly label: string;
  readonly overrides: readonly VariantOverride[];
  readonly onChange: (
    change: (overrides: readonly VariantOverride[]) => readonly VariantOverride[],
  ) => void;
}

/** Edits the conditions under which contexts get a variant regardless of its share. */
export function OverrideEditor({ label, overrides, onChange }: OverrideEditorProps) {
  const fields = useAvailableFields();
  const list = useListEditing(overrides, onChange);
  return (
    <>
      {overrides.map(({ contextName, values }, index) => {
        const change = (changed: Partial<VariantOverride>): void =>
          list.change(index, (latest) => ({ ...latest, ...changed }));
        const name = `${label}, override ${index + 1}`;
        return (
          <div key={list.keys[index]} className="variant-override" role="group" aria-label={name}>
            <div className="variant-title">
              <span>Always for these contexts</span>
              <IconButton label={`Remove ${name.toLowerCase()}`} onPress={() => list.remove(index)}>
                <Trash2 aria-hidden />
              </IconButton>
            </div>
            <ContextFieldBox
              fields={fields}
              value={contextName}
              onChange={(field) => change({ contextName: field })}
              description="Is one of the values."
            />
            <ValueListField
              values={values}
              onChange={(changed) => change({ values: changed })}
              maxValues={MAX_VALUES}
              suggestions={legalValuesOf(fields, contextName)}
              // Unlike in constraints, the service accepts values that are not legal.
              validate={(checked) =>
                describeListProblem(checked, {
                  kind: "strings",
                  legalValues: [],
                  maxValues: MAX_VALUES,
                })
              }
            />
          </div>
        );
      })}
      <div>
        <Button
          ref={list.addButton}
          size="small"
          variant="quiet"
          isDisabled={overrides.length >= MAX_OVERRIDES}
          aria-label={`Add override to ${label.toLowerCase()}`}
          onPress={() => list.add({ contextName: "", values: [] })}
        >
          <Plus aria-hidden /> Add override
        </Button>
      </div>
    </>
  );
}

const SHOWN_VALUES = 5;

/** The contexts that get a certain variant regardless of its share. */
export function OverrideList({ variants }: { readonly variants: readonly FlagVariant[] }) {
  const overrides = variants.flatMap(({ name, overrides: own = [] }) =>
    own.map((override) => ({ ...override, name })),
  );
  if (overrides.length === 0) return null;
  return (
    <ul className="variant-overrides">
      {overrides.map(({ name, contextName, values }, index) => (
        // Nothing but the position identifies an override.
        <li key={index}>
          Always {name}: {contextName} is one of {values.slice(0, SHOWN_VALUES).join(", ")}
          {values.length > SHOWN_VALUES ? (
            <span className="muted"> (+{formatCount(values.length - SHOWN_VALUES)})</span>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
