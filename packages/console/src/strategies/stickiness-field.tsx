import { useAvailableFields } from "../context-fields/use-available-fields.ts";
import { Select } from "../ui/select.tsx";

interface StickinessFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (stickiness: string) => void;
  readonly description: string;
  readonly isDisabled?: boolean;
}

const BUILT_IN = [
  {
    id: "default",
    label: "User id, or session id if there is none",
    description: "Random if a context has neither",
  },
  { id: "userId", label: "User id" },
  { id: "sessionId", label: "Session id" },
  { id: "random", label: "Random", description: "May change with each evaluation" },
];

/** The context field that keeps a user in the same part of a rollout, or with the same variant. */
export function StickinessField({ value, ...props }: StickinessFieldProps) {
  const fields = useAvailableFields();
  const known = [
    ...BUILT_IN,
    ...fields
      .filter(({ name, stickiness }) => stickiness && !BUILT_IN.some(({ id }) => id === name))
      .map(({ name }) => ({ id: name, label: name })),
  ];
  const choices = known.some(({ id }) => id === value)
    ? known
    : [...known, { id: value, label: value }];
  return <Select {...props} choices={choices} value={value} />;
}
