import {
  findWeakSecrets,
  isLoopbackHost,
  MIN_PUBLIC_KEY_LENGTH,
  MIN_SECRET_LENGTH,
  nameSetting,
  type Resolution,
  type Setting,
} from "flags-server-kit";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

/** What is wrong, and what is merely odd, about settings that are fine one by one. */
export interface JointFindings {
  readonly problems: readonly string[];
  readonly hints: readonly string[];
  /** Risks of settings that work. They explain no problem, so only the log of a start has them. */
  readonly risks: readonly string[];
}

/** Looks at settings beside each other. */
export function checkTogether(resolution: Resolution<Settings>): JointFindings {
  return {
    problems: findMissing(resolution),
    hints: [
      ...findDeprecated(resolution),
      ...findSharedKeys(resolution),
      ...findWithoutEffect(resolution),
    ],
    risks: findWeakKeys(resolution),
  };
}

function findMissing({ origins }: Resolution<Settings>): readonly string[] {
  return (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][])
    .filter(([name, { required }]) => required === true && !origins.has(name))
    .filter(([name]) => name !== "clientKeys" || !origins.has("proxySecrets"))
    .map(([, setting]) => `${nameSetting(setting)} is required: ${toClause(setting.meaning)}`);
}

function toClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

function findDeprecated({ origins }: Resolution<Settings>): readonly string[] {
  const origin = origins.get("proxySecrets");
  if (origin === undefined) return [];
  const winner = origins.get("clientKeys");
  const effect = winner === undefined ? "still read" : `ignored, as ${winner} is set`;
  return [`${origin} is deprecated and ${effect}: use ${nameSetting(SETTINGS.clientKeys)}`];
}

function findSharedKeys({ values, origins }: Resolution<Settings>): readonly string[] {
  const keys = values.clientKeys ?? values.proxySecrets ?? [];
  const hints: string[] = [];
  if (values.serverTokens.some((token) => keys.includes(token))) {
    const origin = origins.get("serverTokens");
    hints.push(`${origin} repeats a client key: whoever has it may read every definition`);
  }
  if (values.flagsApiToken !== undefined && keys.includes(values.flagsApiToken)) {
    hints.push(
      "A client key equals the upstream token: every client can read the upstream with it",
    );
  }
  return hints;
}

/** NOTE: the token for the upstream is not chosen here, so only one that protects nothing counts. */
const MIN_LENGTHS = {
  flagsApiToken: MIN_PUBLIC_KEY_LENGTH,
  clientKeys: MIN_PUBLIC_KEY_LENGTH,
  proxySecrets: MIN_PUBLIC_KEY_LENGTH,
  serverTokens: MIN_SECRET_LENGTH,
  pushSecret: MIN_SECRET_LENGTH,
} as const satisfies Partial<Record<SettingName, number>>;

/** Weak secrets are no errors here: those that the old proxy accepted have to keep working. */
function findWeakKeys({ values }: Resolution<Settings>): readonly string[] {
  const isLoopback = isLoopbackHost(values.host);
  const names = (Object.keys(MIN_LENGTHS) as (keyof typeof MIN_LENGTHS)[]).filter(
    (name) => name !== "proxySecrets" || values.clientKeys === undefined,
  );
  return names.flatMap((name) =>
    findWeakSecrets(nameSetting(SETTINGS[name]), values[name] ?? [], {
      minLength: MIN_LENGTHS[name],
      isLoopback,
    }),
  );
}

function findWithoutEffect({ values, origins }: Resolution<Settings>): readonly string[] {
  const hints: string[] = [];
  const headers = origins.get("bootstrapAuthorization") ?? origins.get("bootstrapHeaders");
  if (headers !== undefined && !origins.has("bootstrapUrl")) {
    hints.push(`${headers} has no effect without ${nameSetting(SETTINGS.bootstrapUrl)}`);
  }
  const eventStreams = origins.get("ofrepEventStreams");
  if (eventStreams !== undefined && values.ofrepEventStreams && values.pushMaxStreams === 0) {
    hints.push(`${eventStreams} has no effect: ${nameSetting(SETTINGS.pushMaxStreams)} is 0`);
  }
  const credentials = origins.get("corsCredentials");
  if (credentials !== undefined && values.corsCredentials && values.corsOrigin === "*") {
    hints.push(
      `${credentials} has no effect without ${nameSetting(SETTINGS.corsOrigin)}: browsers send no credentials to those who allow every origin`,
    );
  }
  return hints;
}
