/** Which flags a client requests. */
export interface DefinitionsQuery {
  /** Empty for all projects. */
  readonly projects: readonly string[];
  readonly namePrefix: string;
}

/** Parses the filters in a URL. Filtering by tag is not supported: definitions contain no tags. */
export function parseDefinitionsQuery(url: string): DefinitionsQuery {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
  return {
    projects: query.getAll("project").filter((project) => project !== "*"),
    namePrefix: query.get("namePrefix") ?? "",
  };
}

interface Selectable {
  readonly name?: unknown;
  readonly project?: unknown;
}

/** Whether a query selects a flag. */
export function isSelected(feature: unknown, { projects, namePrefix }: DefinitionsQuery): boolean {
  const { name, project } = feature as Selectable;
  return (
    String(name).startsWith(namePrefix) &&
    (projects.length === 0 || projects.includes(String(project)))
  );
}
