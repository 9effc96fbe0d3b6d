import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import {
  describeExpiryProblem,
  type Expiry,
  EXPIRY_CHOICES,
  LIMITED_EXPIRY_CHOICES,
} from "./expiry.ts";

interface ExpiryFieldsProps {
  readonly value: Expiry;
  readonly onChange: (expiry: Expiry) => void;
  /** Whether it has to expire. @default false */
  readonly isRequired?: boolean;
}

/** Fields for the time at which a token expires. */
export function ExpiryFields({ value, onChange, isRequired = false }: ExpiryFieldsProps) {
  const { choice, localTime } = value;
  return (
    <>
      <Select
        label="Expires"
        choices={isRequired ? LIMITED_EXPIRY_CHOICES : EXPIRY_CHOICES}
        value={choice}
        onChange={(id) => onChange({ choice: id, localTime })}
      />
      {choice === "date" ? (
        <TextField
          label="Expires at"
          type="datetime-local"
          value={localTime}
          onChange={(time) => onChange({ choice, localTime: time })}
          isRequired
          validate={(time) => describeExpiryProblem(time, new Date())}
        />
      ) : null}
    </>
  );
}
