import type { DefinitionsQuery } from "./definitions-query.ts";

interface Selectable {
  readonly name?: unknown;
  readonly project?: unknown;
}

/** Whether a flag is among those asked for. */
export function isSelected(feature: unknown, { projects, namePrefix }: DefinitionsQuery): boolean {
  const { name, project } = feature as Selectable;
  return (
    String(name).startsWith(namePrefix) &&
    (projects.length === 0 || projects.includes(String(project)))
  );
}
