import { type ContextSearch, parseContextSearch } from "./context.ts";

/** Parameters of the address of the playground. Nothing is evaluated before there is a context. */
interface PlaygroundSearch extends ContextSearch {
  /** Ids of projects. @default all */
  readonly projects?: readonly string[];
  /** Whether to evaluate, also without any value in the context. */
  readonly run?: boolean;
}

/** Reads the parameters of an address. Whatever has the wrong type is left out. */
export function parsePlaygroundSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const { projects, run } = search;
  const ids = Array.isArray(projects)
    ? projects.filter((id): id is string => typeof id === "string")
    : [];
  const parsed = parseContextSearch(search);
  return {
    ...parsed,
    ...(ids.length > 0 && { projects: ids }),
    ...((run === true || parsed.context !== undefined) && { run: true }),
  };
}
