import { nameSetting, type Resolution } from "flags-server-kit";
import type { FlagFile } from "../files/read-flag-file.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

const name = (setting: SettingName): string => nameSetting(SETTINGS[setting]);

/** Finds settings that contradict each other, or are not complete without others. */
export function findContradictions(
  resolution: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly string[] {
  return [
    ...findAmbiguousBootstrap(resolution),
    ...(files === undefined ? [] : findImpossibleWithFiles(resolution)),
    ...findAmbiguousStorage(resolution),
    ...findIncompleteBucket(resolution),
    ...findMissingHalf(resolution, "tlsCertFile", "tlsKeyFile"),
    ...findMissingHalf(resolution, "upstreamCertFile", "upstreamKeyFile"),
    ...findWithoutTls(resolution),
    ...findSharedPorts(resolution),
  ];
}

function findAmbiguousBootstrap({ values, origins }: Resolution<Settings>): readonly string[] {
  const origin = origins.get("bootstrapUrl");
  if (origin === undefined || (values.flagsApiToken ?? []).length < 2) return [];
  return [
    `${origin} gives the flags of one environment, but ${name("flagsApiToken")} has several tokens: use one proxy per environment, or no bootstrap`,
  ];
}

/** NOTE: a filter that had no effect would reveal flags that should be hidden. */
function findImpossibleWithFiles({ values, origins }: Resolution<Settings>): readonly string[] {
  const problems: string[] = [];
  if (origins.has("tags")) {
    problems.push(
      `${origins.get("tags")} is not possible with files, which do not contain tags: remove it`,
    );
  }
  if (values.upstreamKeys) {
    problems.push(
      `${origins.get("upstreamKeys")} is not possible with files: there is no upstream that could verify keys`,
    );
  }
  return problems;
}

function findAmbiguousStorage({ values, origins }: Resolution<Settings>): readonly string[] {
  const [store, provider] = [origins.get("store"), origins.get("storageProvider")];
  const problems: string[] = [];
  if (store !== undefined && provider !== undefined) {
    problems.push(
      `${store} and ${provider} are both set, and both keep the flags: remove one of them`,
    );
  }
  const password = origins.get("storePassword");
  if (password !== undefined && (values.store?.secrets ?? []).length > 0) {
    problems.push(`${password} and ${store} both contain a password: remove one of them`);
  }
  return problems;
}

function findIncompleteBucket({ values, origins }: Resolution<Settings>): readonly string[] {
  const { store, storeRegion } = values;
  if (store?.login !== "aws") return [];
  const problems: string[] = [];
  if (store.needsRegion && storeRegion === undefined) {
    problems.push(
      `${origins.get("store")} needs the region of the bucket: set ${name("storeRegion")}, or append ?region= to the address`,
    );
  }
  const pair = ["storeAccessKeyId", "storeSecretAccessKey"] as const;
  const given = pair.find((setting) => values[setting] !== undefined);
  const missing = pair.find((setting) => values[setting] === undefined);
  if (given !== undefined && missing !== undefined) {
    problems.push(`${name(given)} is set without ${name(missing)}: set both or neither`);
  }
  return problems;
}

function findMissingHalf(
  { origins }: Resolution<Settings>,
  cert: SettingName,
  key: SettingName,
): readonly string[] {
  if (origins.has(cert) === origins.has(key)) return [];
  const [given, missing] = origins.has(cert) ? [cert, key] : [key, cert];
  return [`${origins.get(given)} requires ${name(missing)}: set both, or neither`];
}

function findWithoutTls({ values, origins }: Resolution<Settings>): readonly string[] {
  if (!origins.has("tlsCertFile") && !origins.has("tlsKeyFile")) {
    return (["tlsPort", "tlsRedirect", "tlsClientCaFile"] as const)
      .filter((setting) => origins.has(setting) && values[setting] !== false)
      .map((setting) => `${origins.get(setting)} requires ${name("tlsCertFile")}`);
  }
  if (!values.tlsRedirect || values.tlsPort !== undefined) return [];
  return [
    `${origins.get("tlsRedirect")} requires ${name("tlsPort")}: without it, ${name("port")} serves TLS, and nothing redirects`,
  ];
}

function findSharedPorts({ values, origins }: Resolution<Settings>): readonly string[] {
  // For 0, the system chooses a different port each time.
  const ports = (["port", "tlsPort", "managementPort"] as const).filter((port) => values[port]);
  return ports.flatMap((port, index) =>
    ports
      .slice(0, index)
      .filter((other) => values[other] === values[port])
      .map(
        (other) => `${origins.get(port)} must differ from ${name(other)}: both are ${values[port]}`,
      ),
  );
}
