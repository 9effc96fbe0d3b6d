import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { describeExpiryProblem, type Expiry, EXPIRY_CHOICES } from "./expiry.ts";

interface ExpiryFieldsProps {
  readonly value: Expiry;
  readonly onChange: (expiry: Expiry) => void;
}

/** Fields for the time at which a token expires. */
export function ExpiryFields({ value, onChange }: ExpiryFieldsProps) {
  const { choice, localTime } = value;
  return (
    <>
      <Select
        label="Expires"
        choices={EXPIRY_CHOICES}
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
