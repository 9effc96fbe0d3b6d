import { ApiError } from "../api/request.ts";
import { withFullStop } from "./describe-error.ts";
import { ownValue } from "./own-value.ts";

/** How sentences about the fields of a form begin, for example "The user name", by the name of the field. */
export type FieldSubjects = Readonly<Record<string, string>>;

/** Returns what the service found wrong with single fields of a form, as sentences by the name of the field. */
export function findFieldErrors(error: unknown, subjects: FieldSubjects): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.details.flatMap(({ path = "", message }) => {
      const name = path.replace(/^\/body\//, "");
      const subject = ownValue(subjects, name);
      return subject === undefined ? [] : [[name, withFullStop(`${subject} ${message}`)]];
    }),
  );
}
