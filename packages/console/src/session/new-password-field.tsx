import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { ApiError, request } from "../api/request.ts";
import { withFullStop } from "../ui/describe-error.ts";
import { PasswordField } from "../ui/password-field.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { describeMissing, MIN_LENGTH } from "./new-password.ts";
import "./new-password-field.css";

interface NewPasswordFieldProps {
  /** @default "Password" */
  readonly label?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The names of its owner, which it must not be. */
  readonly names: readonly string[];
  readonly autoFocus?: boolean;
}

/** A field for a new password, which says during typing what is still missing. */
export function NewPasswordField({ label = "Password", names, ...props }: NewPasswordFieldProps) {
  const { value } = props;
  return (
    <div className="new-password stack-tight">
      <PasswordField
        {...props}
        label={label}
        name="password"
        autoComplete="new-password"
        description={`At least ${MIN_LENGTH} characters, for example several words that do not belong together.`}
        validate={(password) => (password === "" ? undefined : describeMissing(password, names))}
      />
      <Feedback password={value} names={names} />
    </div>
  );
}

interface FeedbackProps {
  readonly password: string;
  readonly names: readonly string[];
}

/** NOTE: after a pause in typing, so that screen readers do not read a sentence for each character. */
function Feedback({ password, names }: FeedbackProps) {
  const typed = useDebounced(password);
  const missing = typed === "" ? undefined : describeMissing(typed, names);
  const isChecked = typed !== "" && missing === undefined;
  const { data: problem } = useQuery({
    queryKey: ["new-password", typed],
    queryFn: () => findProblem(typed),
    enabled: isChecked,
    // Passwords are not kept in memory.
    gcTime: 0,
    retry: false,
  });
  const isGood = isChecked && problem === "";
  return (
    <p className={`password-feedback ${isGood ? "" : "password-problem"}`} role="status">
      {isGood ? (
        <>
          <Check aria-hidden /> This password can be used.
        </>
      ) : (
        (missing ?? (isChecked ? problem : ""))
      )}
    </p>
  );
}

/** Asks the service, which knows the passwords that are guessed first. Returns "" if there is no problem. */
async function findProblem(password: string): Promise<string> {
  try {
    await request("auth/reset/validate-password", { method: "POST", body: { password } });
    return "";
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error;
    return error.details.map(({ message }) => withFullStop(message)).join(" ");
  }
}
