import { isReservedName } from "../access/openid-user.ts";

/** Returns what is wrong with a user name; undefined if nothing is. */
export function findUsernameProblem(username: string): string | undefined {
  if (username.includes("@")) return "must not contain `@`: send an email address as `email`";
  if (username.trim() !== username || /[\p{Cc}\p{Cf}]/u.test(username)) {
    return "must not begin or end with a space, or contain invisible characters";
  }
  if (isReservedName(username)) return "must not be `system`, or begin with `openid:`";
  return undefined;
}
