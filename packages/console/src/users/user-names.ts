import type { RootRole, User } from "../api/types.ts";
import type { Choice } from "../ui/select.tsx";

type Named = Pick<User, "email" | "name" | "username">;

/** Returns how a user is called. */
export function nameOfUser({ name, username, email }: Named): string {
  return name ?? username ?? email ?? "unknown";
}

/** Returns the other names of a user. */
export function otherNames(user: Named): string {
  const { username, email } = user;
  const shown = nameOfUser(user);
  return [username, email].filter((name) => name !== undefined && name !== shown).join(", ");
}

/** Returns roles as choices. NOTE: an id of a choice is text. */
export function toRoleChoices(roles: readonly RootRole[]): readonly Choice[] {
  return roles.map(({ id, name, description }) => ({ id: String(id), label: name, description }));
}

/** Returns the name of a role. */
export function roleNameOf(roles: readonly RootRole[], id: number): string {
  return roles.find((role) => role.id === id)?.name ?? String(id);
}

/** The role that most people need. */
export const VIEWER_ID = 3;
