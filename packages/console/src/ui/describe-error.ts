import { ApiError } from "../api/request.ts";
import { describeDistance } from "./times.ts";

/** What the service says about a password or a link, rather than about the session. */
const CREDENTIAL_ERRORS: readonly string[] = ["InvalidTokenError", "PasswordMismatch"];

/** Explains in words why something failed, and what to do about it. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return error instanceof Error ? withFullStop(error.message) : "Something went wrong.";
  }
  switch (error.status) {
    case 401:
      return CREDENTIAL_ERRORS.includes(error.name)
        ? withFullStop(error.message)
        : "Your session had ended. Try again.";
    case 412:
      return describeConflict(error.message);
    case 413:
      return "This is too large to save. Shorten the longest text or list.";
    case 429:
      // NOTE: the message of the service says how long. Those of gateways do not.
      return error.name === "RateLimitError"
        ? withFullStop(error.message)
        : "Too many requests. Wait a minute and try again.";
    case 502:
    case 503:
    case 504:
      return `The service is currently unavailable. ${withFullStop(error.message)}`;
    default:
      return error.status >= 500
        ? "The service failed. Its log contains the reason."
        : [error.message, ...furtherDetails(error)].map(withFullStop).join(" ");
  }
}

/** Whether somebody else changed the same thing in the meantime. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}

/** Says who made the other change, if the message of the service contains it. */
function describeConflict(message: string): string {
  const [, author, time] = /last by ("(?:[^"\\]|\\.)*") at (\S+Z)/.exec(message) ?? [];
  const what = "Nothing was saved, because this was changed in the meantime";
  if (author === undefined || time === undefined) return `${what}.`;
  const when = describeDistance(new Date(time).getTime() - Date.now());
  return `${what}: by ${String(JSON.parse(author))}, ${when}.`;
}

function furtherDetails({ message, details }: ApiError): readonly string[] {
  return details
    .map((detail) => detail.message)
    .filter((text) => text !== "" && !message.includes(text));
}

/** Ends a text with a full stop, unless it has ended. */
export function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
