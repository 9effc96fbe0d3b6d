import { parseTokenScope, type TokenScope } from "./token-scope.ts";

/** The members of a source that its token determines: see `Source`. */
interface SourceDescription {
  readonly name: string;
  readonly scope: TokenScope | undefined;
}

/** The name of the only source of a proxy whose token names no environment. */
export const DEFAULT_NAME = "default";

/** Where flags come from, as configured. */
export interface Upstreams {
  readonly upstreamTokens: readonly string[];
  /** Files with the flags of environments. Undefined: from the upstream. */
  readonly files?: readonly { readonly environment: string | undefined }[] | undefined;
}

/** Returns the names and scopes of the sources, in order. */
export function describeSources({
  upstreamTokens,
  files,
}: Upstreams): readonly SourceDescription[] {
  const scopes =
    files === undefined
      ? upstreamTokens.map(parseTokenScope)
      : files.map(({ environment = "" }) =>
          environment === "" ? undefined : { project: "*", environment },
        );
  const names = numberRepeated(scopes.map((scope) => scope?.environment ?? DEFAULT_NAME));
  return names.map((name, index) => ({ name, scope: scopes[index] }));
}

/** Makes names unique. */
export function numberRepeated(names: readonly string[]): readonly string[] {
  // NOTE: an environment may itself be called `production-2`.
  const taken = new Set(names);
  return names.map((first, index) => {
    if (names.indexOf(first) === index) return first;
    let name = first;
    for (let number = 2; taken.has(name); number += 1) name = `${first}-${number}`;
    taken.add(name);
    return name;
  });
}
