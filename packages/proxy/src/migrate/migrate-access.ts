import { createHash } from "node:crypto";
import { type Environment, variablesOf } from "flags-server-kit/command-line";
import { resolveSettings } from "flags-server-kit";
import { stringify } from "yaml";
import type { AccessFileKey } from "../access-file/access-schema.ts";
import {
  listTokenEnvironments,
  splitEnvironmentKey,
  splitNonBlank,
} from "./aliases/conversions.ts";
import { projectToList } from "../config/project-keys.ts";
import type { Translation } from "./translate-environment.ts";
import { SETTINGS } from "../config/settings.ts";
import { parseTokenScope } from "../sources/token-scope.ts";

/** Keys that only an access file can express, and the environment without them. */
interface MovedKeys {
  readonly environment: Environment;
  readonly keys: readonly AccessFileKey[];
}

/** Moves the keys of Edge of the form `secret@environment`, if there are several upstream tokens. */
export function moveEnvironmentKeys(environment: Environment): MovedKeys {
  const environments = listTokenEnvironments(environment);
  const entries = splitNonBlank(environment["PRETRUSTED_TOKENS"] ?? "");
  const keys: AccessFileKey[] = [];
  const rest = entries.filter((entry, index) => {
    const key = environments.length > 1 ? splitEnvironmentKey(entry) : undefined;
    if (key === undefined || !environments.includes(key.environment)) return true;
    keys.push({ ...identify("pretrusted", index, key.secret), environment: key.environment });
    return false;
  });
  return { environment: { ...environment, PRETRUSTED_TOKENS: rest.join(",") }, keys };
}

/** Moves the keys of Edge for one project whose source has flags of more projects. */
export function moveProjectKeys(translation: Translation): MovedKeys {
  const { flagsApiToken, clientKeys, serverTokens } = resolveSettings(SETTINGS, translation).values;
  const environment = { ...translation.environment };
  const keys: AccessFileKey[] = [];
  const move = (kind: "client" | "server", list: readonly string[] | undefined): void => {
    const setting = kind === "client" ? SETTINGS.clientKeys : SETTINGS.serverTokens;
    const variable = variablesOf(setting).find((name) => (environment[name] ?? "") !== "");
    if (list === undefined || variable === undefined) return;
    const rest = list.filter((key, index) => {
      const project = projectToList(key, flagsApiToken);
      const scope = parseTokenScope(key);
      if (project === undefined || scope === undefined) return true;
      keys.push({
        ...identify(kind, index, key),
        ...(kind === "server" && { kind }),
        environment: scope.environment,
        projects: [project],
      });
      return false;
    });
    environment[variable] = rest.join(",");
  };
  move("client", clientKeys);
  move("server", serverTokens);
  return { environment, keys };
}

function identify(list: string, index: number, key: string): AccessFileKey {
  const keySha256 = createHash("sha256").update(key).digest("hex");
  return { name: `${list}-${index + 1}`, keySha256 };
}

export function toAccessFile(keys: readonly AccessFileKey[]): string {
  return stringify({ keys }, { lineWidth: 0 });
}
