import type { Addon } from "../api/types.ts";

/** What an admin has to know. */
export type Problem = "disabled" | "failing" | undefined;

export function problemOf({
  enabled,
  disabledReason,
  failingSince,
}: Pick<Addon, "disabledReason" | "enabled" | "failingSince">): Problem {
  if (disabledReason !== null) return "disabled";
  return enabled && failingSince !== null ? "failing" : undefined;
}
