import { nameSetting } from "flags-server-kit";
import { findSource, parseTokenScope } from "../../token-scope.ts";
import { SETTINGS, type Values } from "../settings.ts";

/**
 * Finds client keys that Edge limits to a project, and that get the flags of other projects here, because the
 * upstream token of their environment is for more projects.
 */
export function findWiderKeys({
  clientKeys,
  flagsApiToken,
}: Pick<Values, "clientKeys" | "flagsApiToken">): readonly string[] {
  const sources = (flagsApiToken ?? []).map((token) => ({ scope: parseTokenScope(token) }));
  return (clientKeys ?? []).flatMap((key, index) => {
    const project = parseTokenScope(key)?.project;
    if (project === undefined || project === "*") return [];
    const served = findSource(key, sources)?.scope?.project;
    if (served === undefined || served === project) return [];
    return [
      `Entry ${index + 1} of ${nameSetting(SETTINGS.clientKeys)} is a key for ${project === "[]" ? "some projects" : `the project ${project}`}, but gets the flags of all projects of its upstream token`,
    ];
  });
}
