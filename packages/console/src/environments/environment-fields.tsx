import { ComboBox } from "../ui/combo-box.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { Select } from "../ui/select.tsx";
import type { EnvironmentSummary } from "../api/types.ts";
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
      description="What the environment is for. The type has no effect on the results of flags."
    />
  );
}

/** Why the name of an environment is final. */
export const NAME_IS_FINAL = "It becomes part of API tokens, so it cannot be changed later.";

/** How an environment is protected. */
export type Protection = Pick<EnvironmentSummary, "protection" | "requiredApprovals">;

/** The most approvals that a change can require. */
export const MAX_APPROVALS = 10;

const PROTECTIONS = [
  { id: "none", label: "None" },
  { id: "confirm", label: "Confirmation" },
  { id: "approvals", label: "Approvals" },
] as const;

interface ProtectionFieldsProps {
  readonly value: Protection;
  readonly onChange: (protection: Protection) => void;
  readonly type: string;
}

/** What a change of flags in an environment requires. */
export function ProtectionFields({ value, onChange, type }: ProtectionFieldsProps) {
  const { protection, requiredApprovals } = value;
  return (
    <>
      <Select
        label="Protection"
        choices={PROTECTIONS}
        value={protection}
        onChange={(next) =>
          onChange({
            protection: next,
            requiredApprovals: next === "approvals" ? (requiredApprovals ?? 1) : null,
          })
        }
        description={describeProtection(protection, type)}
      />
      {protection === "approvals" ? (
        <NumberField
          label="Required approvals"
          value={requiredApprovals ?? 1}
          onChange={(count) =>
            onChange({ protection, requiredApprovals: Number.isNaN(count) ? 1 : count })
          }
          minValue={1}
          maxValue={MAX_APPROVALS}
          isRequired
          description="In every project. The owners of a project can require more."
        />
      ) : null}
    </>
  );
}

function describeProtection(protection: Protection["protection"], type: string): string {
  if (protection === "approvals") {
    return "Changes of flags have to be requested, and approved by other people. Turning a flag off works at once, with a reason.";
  }
  if (protection === "confirm") {
    return "The console says what a change does to whom, and asks before it. Scripts are not asked.";
  }
  return type.trim() === "production"
    ? "Changes apply at once. The console asks before them, because the type is production."
    : "Changes apply at once.";
}
