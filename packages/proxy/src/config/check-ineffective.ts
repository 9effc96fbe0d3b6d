import { nameSetting, type Resolution } from "flags-server-kit";
import type { FlagFile } from "../files/read-flag-file.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

/** Settings that have no effect on certain conditions, and the reason, which follows `X has no effect`. */
interface Rule {
  readonly settings: readonly SettingName[];
  readonly isMet: boolean;
  readonly reason: string;
}

const name = (setting: SettingName): string => nameSetting(SETTINGS[setting]);
const isNot = (address: string): string => `: ${name("store")} is not ${address}`;

/** Finds settings that are set but have no effect. */
export function findIneffective(
  resolution: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly string[] {
  return [...listRules(resolution, files), ...listStoreRules(resolution)]
    .filter(({ isMet }) => isMet)
    .flatMap(({ settings, reason }) =>
      settings
        .flatMap((setting) => resolution.origins.get(setting) ?? [])
        .map((origin) => `${origin} has no effect${reason}`),
    );
}

function listRules(
  { values, origins }: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly Rule[] {
  /** A condition is not met while a setting has a value. */
  const without = (setting: SettingName) => ({
    isMet: !origins.has(setting) || values[setting] === false,
    reason: ` without ${name(setting)}`,
  });
  return [
    { settings: ["bootstrapAuthorization", "bootstrapHeaders"], ...without("bootstrapUrl") },
    {
      settings: ["ofrepEventStreams"],
      isMet: values.ofrepEventStreams && values.pushMaxStreams === 0,
      reason: `: ${name("pushMaxStreams")} is 0`,
    },
    {
      settings: ["corsCredentials"],
      isMet: values.corsCredentials && values.corsOrigin === "*",
      reason: ` without ${name("corsOrigin")}: browsers send no credentials to servers that allow every origin`,
    },
    {
      settings: [
        "flagsApiToken",
        "synchronization",
        "bootstrapUrl",
        "storageProvider",
        "store",
        "usageSpool",
      ],
      isMet: files !== undefined,
      reason: ` with files as ${name("flagsUrl")}`,
    },
    { settings: ["upstreamKeysInterval", "upstreamKeysMaxAge"], ...without("upstreamKeys") },
    {
      settings: ["usageSpool"],
      isMet: values.metricsIntervalMs === 0,
      reason: `: ${name("metricsIntervalMs")} is 0`,
    },
    { settings: ["usageSpoolMaxBytes"], ...without("usageSpool") },
    { settings: ["managementHost"], ...without("managementPort") },
    {
      settings: ["upstreamCaFile"],
      isMet: !values.rejectUnauthorized,
      reason: `, because ${origins.get("rejectUnauthorized")} accepts every certificate`,
    },
    {
      settings: ["upstreamCaFile", "upstreamCertFile"],
      isMet: /^http:/i.test(values.flagsUrl ?? ""),
      reason: `, because ${origins.get("flagsUrl")} is http://`,
    },
  ];
}

function listStoreRules({ values, origins }: Resolution<Settings>): readonly Rule[] {
  const { store, sharesFlags } = values;
  // NOTE: an invalid address has no value.
  if (store === undefined && origins.has("store")) return [];
  return [
    {
      settings: ["storePassword"],
      isMet: store?.login !== "password",
      reason: isNot("a Redis address"),
    },
    {
      settings: ["storeCaFile"],
      isMet: store?.usesTls !== true,
      reason: isNot("a rediss address, or an S3 address with https"),
    },
    {
      settings: ["sharesFlags"],
      isMet: sharesFlags && store?.canShareFlags !== true,
      reason: isNot("a Redis address"),
    },
  ];
}
