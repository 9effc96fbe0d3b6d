import { type ReactNode, useEffect, useRef } from "react";
import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { SearchField as AriaSearchField } from "react-aria-components/SearchField";
import { Text } from "react-aria-components/Text";
import { TextArea as AriaTextArea } from "react-aria-components/TextArea";
import { TextField as AriaTextField } from "react-aria-components/TextField";
import { Checkbox as AriaCheckbox } from "react-aria-components/Checkbox";
import { Check, Minus, Search, X } from "lucide-react";
import { IconButton } from "./button.tsx";
import "./fields.css";

export interface FieldProps<Value> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly name?: string;
  /** Help below the field. */
  readonly description?: ReactNode;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly autoFocus?: boolean;
  /** Returns what is wrong with a value; undefined or null if it is valid. */
  readonly validate?: (value: Value) => string | null | undefined;
}

interface TextFieldProps extends FieldProps<string> {
  readonly type?: "text" | "password" | "date" | "datetime-local";
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly autoComplete?: string;
  /** Shows several lines. @default 1 */
  readonly rows?: number;
  readonly isReadOnly?: boolean;
  /** What the validity depends on besides the value: if it changes, a field that shows an error is checked again. */
  readonly dependsOn?: string;
  /** Uses a font of fixed width, for code and JSON. @default false */
  readonly isCode?: boolean;
}

export function TextField({
  label,
  description,
  placeholder,
  rows = 1,
  isCode = false,
  validate,
  dependsOn = "",
  ...props
}: TextFieldProps) {
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // NOTE: the component checks a value again only when its own input changes.
    field.current
      ?.querySelector("input[aria-invalid=true]")
      ?.dispatchEvent(new Event("change", { bubbles: true }));
  }, [dependsOn]);
  const className = isCode ? "input code" : "input";
  const shown = placeholder === undefined ? {} : { placeholder };
  return (
    <AriaTextField
      {...props}
      ref={field}
      className="field"
      {...(validate !== undefined && { validate: (value) => validate(value) ?? null })}
    >
      <Label>{label}</Label>
      {rows > 1 ? (
        <AriaTextArea className={className} rows={rows} {...shown} />
      ) : (
        <Input className={className} {...shown} />
      )}
      <FieldHelp label={label} description={description} />
    </AriaTextField>
  );
}

/** How many entries a list on a page or in a form has at least, if it can be searched. */
export const SEARCHABLE_COUNT = 8;

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field without a visible label, whose placeholder says what it searches. */
export function SearchField({ label, ...props }: SearchFieldProps) {
  return (
    <AriaSearchField {...props} className="search" aria-label={label}>
      <Search aria-hidden className="search-icon" />
      <Input className="input" placeholder={label} />
      <IconButton label="Clear the search">
        <X aria-hidden />
      </IconButton>
    </AriaSearchField>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  /** Neither on nor off, because it stands for several values. */
  readonly isIndeterminate?: boolean;
  readonly isDisabled?: boolean;
  /** Whether only screen readers read the label. @default false */
  readonly hidesLabel?: boolean;
}

export function Checkbox({ label, hidesLabel = false, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="checkbox" {...(hidesLabel && { "aria-label": label })}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className="checkbox-box" aria-hidden>
            {isIndeterminate ? <Minus /> : isSelected ? <Check /> : null}
          </span>
          {hidesLabel ? null : <span>{label}</span>}
        </>
      )}
    </AriaCheckbox>
  );
}

interface FieldHelpProps {
  readonly label: string;
  readonly description: ReactNode;
  /** What to do with a field that is empty. @default "Enter" */
  readonly verb?: "Choose" | "Enter";
}

/** The description of a field and what is wrong with its value. */
export function FieldHelp({ label, description, verb = "Enter" }: FieldHelpProps) {
  return (
    <>
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">
        {({ validationDetails: { valueMissing }, defaultChildren }) =>
          valueMissing ? `${verb} ${withArticle(label)}.` : defaultChildren
        }
      </FieldError>
    </>
  );
}

/** Returns the label of a field as part of a sentence, for example "an API token". */
function withArticle(label: string): string {
  const words = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
  return `${/^[aeiou]/i.test(label) ? "an" : "a"} ${words}`;
}
