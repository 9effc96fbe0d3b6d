/** Which flags are asked for. */
export interface DefinitionsQuery {
  /** Empty: of every project. */
  readonly projects: readonly string[];
  readonly namePrefix: string;
}

/** Reads the filters of a definitions request. Tags are not known here: the upstream keeps them. */
export function parseDefinitionsQuery(url: string): DefinitionsQuery {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
  return {
    projects: query.getAll("project").filter((project) => project !== "*"),
    namePrefix: query.get("namePrefix") ?? "",
  };
}
