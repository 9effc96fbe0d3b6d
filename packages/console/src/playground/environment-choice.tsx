import { Checkbox } from "../ui/fields.tsx";
import "./context-form.css";

interface EnvironmentChoiceProps {
  readonly environments: readonly string[];
  readonly selected: readonly string[];
  readonly onChange: (selected: readonly string[]) => void;
}

/** A choice of several environments to compare. Their order stays the same. */
export function EnvironmentChoice({ environments, selected, onChange }: EnvironmentChoiceProps) {
  return (
    <fieldset className="context-choices">
      <legend>Environments</legend>
      {environments.map((name) => (
        <Checkbox
          key={name}
          label={name}
          isSelected={selected.includes(name)}
          isDisabled={selected.length === 1 && selected.includes(name)}
          onChange={(isSelected) =>
            onChange(
              environments.filter((one) => (one === name ? isSelected : selected.includes(one))),
            )
          }
        />
      ))}
    </fieldset>
  );
}
