import type { ContextField } from "../api/types.ts";
import { ComboBox } from "../ui/combo-box.tsx";
import { toChoice } from "../ui/select.tsx";

interface ContextFieldBoxProps {
  readonly fields: readonly ContextField[];
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly description?: string;
  readonly autoFocus?: boolean;
}

/** A context field: one from the list, or any other name that applications send. */
export function ContextFieldBox({ fields, description, ...props }: ContextFieldBoxProps) {
  const hint = describeUnknownField(props.value, fields) ?? description;
  return (
    <ComboBox
      {...props}
      {...(hint !== undefined && { description: hint })}
      label="Context field"
      choices={fields.map(toChoice)}
      isRequired
      validate={describeFieldProblem}
    />
  );
}

function describeFieldProblem(name: string): string | undefined {
  if (name.trim() === "") return "Choose a context field.";
  return name.length > 100 ? "The name of a context field has at most 100 characters." : undefined;
}

/** SDKs send it, although it is in no list. */
const ADDRESS = "remoteAddress";

/** Says that no context field has this name. This is no error: applications can send any field. */
function describeUnknownField(name: string, fields: readonly ContextField[]): string | undefined {
  const names = [...fields.map((field) => field.name), ADDRESS];
  if (fields.length === 0 || name.trim() === "" || names.includes(name)) return undefined;
  const similar = names.find((known) => known.toLowerCase() === name.trim().toLowerCase());
  return similar === undefined
    ? "No context field has this name. Applications have to send it exactly so."
    : `Do you mean ${similar}? Upper and lower case matter.`;
}
