import type { Flag } from "../api/types.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";

/** Whether the user may change a flag. Archived flags have to be revived first. */
export function useCanEdit({ project, archived }: Pick<Flag, "project" | "archived">): boolean {
  return useHasProjectRole(project, "editor") && !archived;
}
