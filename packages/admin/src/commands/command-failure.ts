import { StartError } from "flags-server-kit";
import { EXIT_FAILURE, SubcommandError } from "flags-server-kit/command-line";
import type { ApiError } from "../errors.ts";
import { toApiError } from "../http/to-api-error.ts";

/** Returns what the user of a command is told about an error; undefined if only the log can explain it. */
export function toCommandFailure(error: unknown): SubcommandError | undefined {
  if (error instanceof SubcommandError) return error;
  if (error instanceof StartError) return fail(error);
  const apiError = toApiError(error);
  return apiError.name === "InternalError" ? undefined : fail(apiError);
}

function fail(error: ApiError | StartError): SubcommandError {
  return new SubcommandError(error.message, EXIT_FAILURE, { cause: error });
}
