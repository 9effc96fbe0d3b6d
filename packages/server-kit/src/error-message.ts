/** Returns the message of a caught value, which is not necessarily an `Error`. */
export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
