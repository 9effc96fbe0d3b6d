import { nameSetting, type Resolution } from "flags-server-kit";
import { describeSources } from "../sources/describe-sources.ts";
import { findSource, limitedProject, parseTokenScope } from "../sources/token-scope.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";

type Origins = Resolution<Settings>["origins"];
type Keys = Pick<Values, "clientKeys" | "serverTokens" | "flagsApiToken">;

/** Finds keys for several projects, which get the flags of all projects of their upstream token. */
export function findUnlimitedKeys(keys: Keys, origins?: Origins): readonly string[] {
  const { flagsApiToken } = keys;
  // NOTE: without an upstream, such a key gets all flags in Edge too.
  if (flagsApiToken === undefined) return [];
  return listKeys(keys, origins).flatMap(({ key, subject }) => {
    const served = findSource(key, describeSources({ upstreamTokens: flagsApiToken }))?.scope
      ?.project;
    return parseTokenScope(key)?.project !== "[]" || served === undefined || served === "[]"
      ? []
      : [
          `${subject} is a key for some projects, but gets the flags of all projects of its upstream token: name its projects in an access file`,
        ];
  });
}

/** Finds keys that Edge limits to a project, and that get the flags of other projects here. */
export function findBroaderKeys(keys: Keys): readonly string[] {
  return listKeys(keys).flatMap(({ key, subject }) => {
    const project = projectToList(key, keys.flagsApiToken);
    return project === undefined
      ? []
      : [
          `${subject} is a key for the project ${project}, but gets the flags of other projects too: name its project in an access file`,
        ];
  });
}

/** The project that an access file must name for a key; undefined if it needs none. */
export function projectToList(
  key: string,
  upstreamTokens: readonly string[] | undefined,
): string | undefined {
  const source =
    upstreamTokens === undefined ? ALL_FLAGS : findSource(key, describeSources({ upstreamTokens }));
  return source && limitedProject(key, source);
}

const ALL_FLAGS = { scope: undefined };

function listKeys(given: Keys, origins?: Origins) {
  return (["clientKeys", "serverTokens"] as const).flatMap((name) => {
    const setting = origins?.get(name) ?? nameSetting(SETTINGS[name]);
    const keys = given[name] ?? [];
    return keys.map((key, index) => ({ key, subject: `Entry ${index + 1} of ${setting}` }));
  });
}
