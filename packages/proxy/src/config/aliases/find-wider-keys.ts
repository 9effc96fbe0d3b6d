import { nameSetting } from "flags-server-kit";
import { findSource, parseTokenScope } from "../../token-scope.ts";
import { SETTINGS, type Values } from "../settings.ts";

/**
 * Finds keys that Edge limits to a project, and that get the flags of other projects here, because the
 * upstream token of their environment is for more projects.
 */
export function findWiderKeys({
  clientKeys,
  serverTokens,
  flagsApiToken,
}: Pick<Values, "clientKeys" | "serverTokens" | "flagsApiToken">): readonly string[] {
  const lists = [
    [SETTINGS.clientKeys, clientKeys],
    [SETTINGS.serverTokens, serverTokens],
  ] as const;
  return lists.flatMap(([setting, keys = []]) =>
    keys.flatMap((key, index) => {
      const project = limitedProject(key, flagsApiToken);
      if (project === undefined) return [];
      const subject = `Entry ${index + 1} of ${nameSetting(setting)}`;
      return [
        project === "[]"
          ? `${subject} is a key for some projects, but gets the flags of all projects of its upstream token: name its projects in an access file`
          : `${subject} is a key for the project ${project}, but gets the flags of all projects of its upstream token: use the access file that \`flags-proxy migrate\` prints`,
      ];
    }),
  );
}

/** The project that a key names, if its upstream token is for other projects too. */
export function limitedProject(
  key: string,
  upstreamTokens: readonly string[] | undefined,
): string | undefined {
  const project = parseTokenScope(key)?.project;
  if (project === undefined || project === "*") return undefined;
  const sources = (upstreamTokens ?? []).map((token) => ({ scope: parseTokenScope(token) }));
  const served = findSource(key, sources)?.scope?.project;
  return served === undefined || served === project ? undefined : project;
}
