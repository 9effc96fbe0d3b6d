import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { Project } from "../api/types.ts";

type Level = "viewer" | "editor" | "owner" | "admin";

const RANKS: Readonly<Record<Level, number>> = { viewer: 0, editor: 1, owner: 2, admin: 3 };

/** The projects whose flags the signed-in user may change. */
export function useEditableProjects(): readonly Project[] {
  const { data: projects = [] } = useQuery(queries.projects());
  return projects.filter(({ callerRole = "viewer" }) => RANKS[callerRole] >= RANKS.editor);
}

/** Whether the signed-in user may do in a project what a role permits. The service decides the same. */
export function useHasProjectRole(project: string, required: Level): boolean {
  const { data: projects } = useQuery(queries.projects());
  const role = projects?.find(({ id }) => id === project)?.callerRole;
  return role !== undefined && RANKS[role] >= RANKS[required];
}
