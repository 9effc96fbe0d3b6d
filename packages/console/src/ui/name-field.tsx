import { describeNameProblem } from "./describe-name-problem.ts";
import { TextField } from "./fields.tsx";

interface NameFieldProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
  /** What the name is for, and that it cannot be changed later. */
  readonly description: string;
  /** @default 100 */
  readonly maxLength?: number;
  /** Returns what is wrong with a name; undefined if it is valid. @default `describeNameProblem()` */
  readonly validate?: (name: string) => string | undefined;
}

/** The name of something new, which identifies it from then on. */
export function NameField({
  maxLength = 100,
  validate = describeNameProblem,
  ...props
}: NameFieldProps) {
  return (
    <TextField
      {...props}
      label="Name"
      name="name"
      isRequired
      autoFocus
      maxLength={maxLength}
      validate={validate}
    />
  );
}
