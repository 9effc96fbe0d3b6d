import { Eye, EyeOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField as AriaTextField } from "react-aria-components/TextField";
import { IconButton } from "./button.tsx";
import { FieldHelp } from "./fields.tsx";

interface PasswordFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What password managers do: fill in a password, or suggest a new one. */
  readonly autoComplete: "current-password" | "new-password";
  readonly description?: ReactNode;
  readonly autoFocus?: boolean;
  /** Returns what is wrong with a value; undefined or null if it is valid. */
  readonly validate?: (value: string) => string | null | undefined;
}

/** A field for a password, with a button that shows what was typed. It is required. */
export function PasswordField({ label, description, validate, ...props }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <AriaTextField
      {...props}
      type={isShown ? "text" : "password"}
      className="field"
      isRequired
      {...(validate !== undefined && { validate: (value) => validate(value) ?? null })}
    >
      <Label>{label}</Label>
      <div className="password-input">
        <Input className="input" autoCapitalize="none" spellCheck={false} />
        <IconButton
          label={`${isShown ? "Hide" : "Show"} the ${label.toLowerCase()}`}
          onPress={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        </IconButton>
      </div>
      <FieldHelp label={label} description={description} />
    </AriaTextField>
  );
}
