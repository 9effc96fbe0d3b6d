import { ComboBox } from "../ui/combo-box.tsx";
import { ENVIRONMENT_TYPES } from "./environment-types.ts";

interface TypeFieldProps {
  readonly value: string;
  readonly onChange: (type: string) => void;
}

/** The type of an environment: a usual one, or any other text. */
export function EnvironmentTypeField({ value, onChange }: TypeFieldProps) {
  return (
    <ComboBox
      label="Type"
      choices={Object.entries(ENVIRONMENT_TYPES).map(([id, label]) => ({
        id,
        label: id,
        description: label,
      }))}
      value={value}
      onChange={onChange}
      isRequired
      description="What the environment is for. The type has no effect on flags."
    />
  );
}

/** Why the name of an environment is final. */
export const NAME_IS_FINAL = "It becomes part of API tokens, so it cannot be changed later.";
