import type { ApiTokenType } from "../storage/schema/access.ts";

/** What a user of the admin API may do. Each role may do everything that the previous ones may. */
export type Role = (typeof ROLES)[number];

export const ROLES = ["viewer", "editor", "admin"] as const;

/** Whether a role includes another one. */
export function includesRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}

export function isRole(text: string | null): text is Role {
  return ROLES.some((role) => role === text);
}

/** Returns the role of the tokens of a type; undefined if they are not for the admin API. */
export function roleOfType(type: ApiTokenType): Role | undefined {
  return isRole(type) ? type : undefined;
}
