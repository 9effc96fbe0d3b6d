import { isDeepStrictEqual } from "node:util";
import {
  findWeakSecrets,
  MIN_PUBLIC_KEY_LENGTH,
  MIN_SECRET_LENGTH,
  nameSetting,
  type Resolution,
} from "flags-server-kit";
import { isLoopbackHost } from "flags-server-kit/command-line";
import type { FlagFile } from "../files/read-flag-file.ts";
import { explainUnserved } from "./unserved-keys.ts";
import { describeSources } from "../sources/describe-sources.ts";
import { findSource, parseTokenScope } from "../sources/token-scope.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

export function findKeyProblems(
  resolution: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly string[] {
  return [...findUnservedKeys(resolution, files), ...findTokensWithoutEnvironment(resolution)];
}

/** NOTE: a key must never give access to the flags of another environment. */
function findUnservedKeys(
  { values, origins }: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly string[] {
  const sources = describeSources({ upstreamTokens: values.flagsApiToken ?? [], files });
  if (sources.length === 0) return [];
  const accessFile = nameSetting(SETTINGS.accessFile);
  const owner =
    files === undefined
      ? { setting: nameSetting(SETTINGS.flagsApiToken), entry: "token", accessFile }
      : { setting: nameSetting(SETTINGS.flagsUrl), entry: "file", accessFile };
  const names = ["clientKeys", "proxySecrets", "serverTokens"] as const;
  return names
    .filter((name) => name !== "proxySecrets" || values.clientKeys === undefined)
    .flatMap((name) =>
      (values[name] ?? []).flatMap((key, index) => {
        if (findSource(key, sources) !== undefined) return [];
        const subject = `Entry ${index + 1} of ${origins.get(name)}`;
        return [`${subject} ${explainUnserved(key, sources, owner)}`];
      }),
    );
}

/** NOTE: without the environment of a source, a key of another environment would get its flags. */
function findTokensWithoutEnvironment({
  values,
  origins,
}: Resolution<Settings>): readonly string[] {
  if (!values.upstreamKeys) return [];
  const setting = origins.get("upstreamKeys") ?? nameSetting(SETTINGS.upstreamKeys);
  return (values.flagsApiToken ?? []).flatMap((token, index) =>
    parseTokenScope(token) === undefined
      ? [
          `Entry ${index + 1} of ${origins.get("flagsApiToken")} does not name its environment, which ${setting} requires: use a token of the form project:environment.secret`,
        ]
      : [],
  );
}

/** Finds tokens whose source gets no keys, because the source of an earlier token gets them: see `findSource()`. */
export function findUnusedTokens({ values, origins }: Resolution<Settings>): readonly string[] {
  const scopes = (values.flagsApiToken ?? []).map((token) => parseTokenScope(token));
  return scopes.flatMap((scope, index) => {
    const first = scopes.findIndex((other) => isDeepStrictEqual(other, scope));
    return scope === undefined || first === index
      ? []
      : [
          `Entry ${index + 1} of ${origins.get("flagsApiToken")} serves no key, because entry ${first + 1} is for the same environment and project: remove one of them`,
        ];
  });
}

/** Finds environments in which no source serves a key for several projects. */
export function findSplitEnvironments({
  values,
  origins,
}: Pick<Resolution<Settings>, "values" | "origins">): readonly string[] {
  if (!values.upstreamKeys) return [];
  const scopes = (values.flagsApiToken ?? []).map((token) => parseTokenScope(token));
  const environments = new Set(scopes.flatMap((scope) => scope?.environment ?? []));
  return [...environments].flatMap((environment) => {
    const projects = scopes.flatMap((scope) =>
      scope?.environment === environment ? [scope.project] : [],
    );
    return projects.length < 2 || projects.includes("*")
      ? []
      : [
          `${origins.get("flagsApiToken")} has several tokens for the environment ${environment}, but none for all projects (*): keys for several projects are rejected. Add a token for all projects`,
        ];
  });
}

/** NOTE: operators may not be able to choose the upstream token, so its limit is the lower one. */
const MIN_LENGTHS = {
  flagsApiToken: MIN_PUBLIC_KEY_LENGTH,
  clientKeys: MIN_PUBLIC_KEY_LENGTH,
  proxySecrets: MIN_PUBLIC_KEY_LENGTH,
  serverTokens: MIN_SECRET_LENGTH,
  pushSecret: MIN_SECRET_LENGTH,
} as const satisfies Partial<Record<SettingName, number>>;

/** Weak secrets are not problems: secrets that Unleash Proxy accepted must continue to work. */
export function findWeakKeys({ values, origins }: Resolution<Settings>): readonly string[] {
  const isLoopback = isLoopbackHost(values.host);
  // Edge has one list for both, unless it is in offline mode.
  const areServerTokens = origins.get("serverTokens") === origins.get("flagsApiToken");
  const names = (Object.keys(MIN_LENGTHS) as (keyof typeof MIN_LENGTHS)[]).filter(
    (name) =>
      (name !== "proxySecrets" || values.clientKeys === undefined) &&
      (name !== "serverTokens" || !areServerTokens),
  );
  const [token, ...furtherTokens] = values.flagsApiToken ?? [];
  const secrets = furtherTokens.length === 0 ? { ...values, flagsApiToken: token } : values;
  const warnings = names.flatMap((name) =>
    findWeakSecrets(origins.get(name) ?? nameSetting(SETTINGS[name]), secrets[name] ?? [], {
      minLength: MIN_LENGTHS[name],
      isLoopback,
    }),
  );
  // Tokens of Edge's offline mode are client keys as well as server tokens.
  return [...new Set(warnings)];
}
