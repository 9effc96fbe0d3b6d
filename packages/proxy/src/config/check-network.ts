import { nameSetting, type Resolution } from "flags-server-kit";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

const name = (setting: SettingName): string => nameSetting(SETTINGS[setting]);

/** Finds network settings that contradict each other. */
export function findNetworkProblems(resolution: Resolution<Settings>): readonly string[] {
  return [
    ...findMissingHalf(resolution, "tlsCertFile", "tlsKeyFile"),
    ...findMissingHalf(resolution, "upstreamCertFile", "upstreamKeyFile"),
    ...findWithoutTls(resolution),
    ...findSharedPorts(resolution),
  ];
}

/** Finds network settings that have no effect. */
export function findIneffectiveNetworkSettings({
  values,
  origins,
}: Resolution<Settings>): readonly string[] {
  const hints: string[] = [];
  const managementHost = origins.get("managementHost");
  if (managementHost !== undefined && !origins.has("managementPort")) {
    hints.push(`${managementHost} has no effect without ${name("managementPort")}`);
  }
  const ca = origins.get("upstreamCaFile");
  if (ca !== undefined && !values.rejectUnauthorized) {
    hints.push(
      `${ca} has no effect, because ${origins.get("rejectUnauthorized")} accepts every certificate`,
    );
  }
  const upstreamTls = ca ?? origins.get("upstreamCertFile");
  if (upstreamTls !== undefined && /^http:/i.test(values.flagsUrl ?? "")) {
    hints.push(`${upstreamTls} has no effect, because ${origins.get("flagsUrl")} is http://`);
  }
  return hints;
}

/** Finds address lists that give no protection, and connections to an upstream that is not verified. */
export function findNetworkRisks(resolution: Resolution<Settings>): readonly string[] {
  return [...findOpenLists(resolution), ...findUnverifiedUpstream(resolution)];
}

function findUnverifiedUpstream({ values, origins }: Resolution<Settings>): readonly string[] {
  if (values.rejectUnauthorized || !/^https:/i.test(values.flagsUrl ?? "")) return [];
  return [
    `${origins.get("rejectUnauthorized")} accepts any certificate from the upstream: others on the network can read ${name("flagsApiToken")} and change flags. To trust a private certificate authority, set ${name("upstreamCaFile")} instead`,
  ];
}

function findOpenLists({ values, origins }: Resolution<Settings>): readonly string[] {
  const list = origins.get("allowList") ?? origins.get("denyList");
  if (list === undefined || values.trustProxy !== true) return [];
  return [
    `${list} gives no protection while ${origins.get("trustProxy")} is true: a client can claim any address. Set it to the addresses of your load balancers`,
  ];
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
  const hasTls = origins.has("tlsCertFile") || origins.has("tlsKeyFile");
  const dependents = ["tlsPort", "tlsRedirect", "tlsClientCaFile"] as const;
  const problems = hasTls
    ? []
    : dependents
        .filter((setting) => origins.has(setting) && values[setting] !== false)
        .map((setting) => `${origins.get(setting)} requires ${name("tlsCertFile")}`);
  if (hasTls && values.tlsRedirect && values.tlsPort === undefined) {
    problems.push(
      `${origins.get("tlsRedirect")} requires ${name("tlsPort")}: without it, ${name("port")} serves TLS, and nothing redirects`,
    );
  }
  return problems;
}

function findSharedPorts({ values, origins }: Resolution<Settings>): readonly string[] {
  const ports = (["port", "tlsPort", "managementPort"] as const).filter(
    // The system chooses a different port each time.
    (setting) => values[setting] !== undefined && values[setting] !== 0,
  );
  return ports.flatMap((setting, index) =>
    ports
      .slice(0, index)
      .filter((other) => values[other] === values[setting])
      .map(
        (other) =>
          `${origins.get(setting)} must differ from ${name(other)}: both are ${values[setting]}`,
      ),
  );
}
