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
export function ContextFieldBox({ fields, ...props }: ContextFieldBoxProps) {
  return (
    <ComboBox
      {...props}
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
