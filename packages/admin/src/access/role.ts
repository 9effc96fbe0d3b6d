import type { ApiTokenType } from "../storage/schema/access.ts";

/** What a user of the admin API may do in the whole service. Each role may do everything that the previous ones may. */
export type Role = (typeof ROLES)[number];

export const ROLES = ["viewer", "editor", "admin"] as const;

/** What an operation requires: a role, or that the caller owns the project. Each level includes the previous ones. */
export type Level = (typeof LEVELS)[number];

export const LEVELS = ["viewer", "editor", "owner", "admin"] as const;

/** Whether a level includes another one. */
export function includesLevel(level: Level, required: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(required);
}

export function isRole(text: string | null): text is Role {
  return ROLES.some((role) => role === text);
}

/** Returns the role of the tokens of a type; undefined if they are not for the admin API. */
export function roleOfType(type: ApiTokenType): Role | undefined {
  return isRole(type) ? type : undefined;
}
