/** What a token of the form `project:environment.secret` says about itself. */
export interface TokenScope {
  /** A project, `*` for all, or `[]` for several that only the upstream knows. */
  readonly project: string;
  readonly environment: string;
}

const TOKEN = /^(?<project>[^\s:]+):(?<environment>[^\s:.]+)\./;

/** Returns the scope of a token or key; undefined if it has another form, as a key may have. */
export function parseTokenScope(token: string): TokenScope | undefined {
  const { project, environment } = TOKEN.exec(token)?.groups ?? {};
  if (project === undefined || environment === undefined) return undefined;
  return { project, environment };
}

/** The project that a key names, unless its source has only the flags of that project. */
export function limitedProject(key: string, { scope }: Scoped): string | undefined {
  const project = parseTokenScope(key)?.project;
  return project === "*" || project === "[]" || project === scope?.project ? undefined : project;
}

interface Scoped {
  readonly scope: TokenScope | undefined;
}

/**
 * Returns the source that serves a key; undefined if none does, or if it is not clear which one.
 *
 * A key of the form `project:environment.secret` belongs to the source of its environment. If several
 * sources have this environment, it belongs to the source of its project or, if there is none, to the
 * source of all projects. A key of any other form belongs to the only source.
 */
export function findSource<Source extends Scoped>(
  key: string,
  sources: readonly Source[],
): Source | undefined {
  return findSourceByScope(parseTokenScope(key), sources);
}

/** Like `findSource()`, for the scope of a key; undefined if the key does not name one. */
export function findSourceByScope<Source extends Scoped>(
  wanted: TokenScope | undefined,
  sources: readonly Source[],
): Source | undefined {
  const [first] = sources;
  if (sources.length === 1 && (wanted === undefined || first?.scope === undefined)) return first;
  if (wanted === undefined) return undefined;
  const candidates = sources.filter(({ scope }) => scope?.environment === wanted.environment);
  if (candidates.length <= 1) return candidates[0];
  const ofProject = (project: string): Source | undefined =>
    candidates.find(({ scope }) => scope?.project === project);
  return ofProject(wanted.project) ?? ofProject("*");
}
