import { ConfigError, type Environment } from "../config/resolve-options.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import { nameSetting, type Setting, type ValuesOf } from "../config/setting.ts";

/** The settings that determine the address of a server. A server has only some of those that are optional. */
export type ListenSettings = {
  readonly port: Setting<number, number>;
  readonly host: Setting<string>;
} & Partial<
  Readonly<
    Record<"basePath" | "tlsCertFile" | "tlsClientCaFile" | "managementHost", Setting<string>> &
      Record<"tlsPort" | "managementPort", Setting<number>> &
      Record<"tlsRedirect", Setting<boolean>>
  >
>;

export interface ListenSources {
  readonly environment: Environment;
  /** The names under which the user has set variables, where they differ. */
  readonly origins?: ReadonlyMap<string, string>;
}

/** @throws {ConfigError} if the settings do not determine the URL */
export function findLocalUrl(settings: ListenSettings, sources: ListenSources): string {
  // NOTE: the value of a setting that the server does not have is undefined.
  const { values, problems } = resolveSettings(settings as Required<ListenSettings>, sources);
  if (problems.length > 0) throw new ConfigError(problems);
  const address = chooseAddress(settings, values);
  if (address.port === 0) {
    throw new ConfigError([
      `${nameSetting(address.setting)} is 0, so the port of the server is not known: pass its address with --url`,
    ]);
  }
  const { scheme } = address;
  return `${scheme}://${toConnectHost(address.host)}:${address.port}${values.basePath ?? ""}`;
}

interface LocalAddress {
  readonly scheme: "http" | "https";
  readonly port: number;
  readonly host: string | undefined;
  readonly setting: Setting<unknown>;
}

function chooseAddress(
  settings: ListenSettings,
  values: ValuesOf<Required<ListenSettings>>,
): LocalAddress {
  const { tlsPort, managementPort } = settings;
  const main = { port: values.port, host: values.host, setting: settings.port };
  if (managementPort !== undefined && values.managementPort !== undefined) {
    const host = values.managementHost ?? values.host;
    return { scheme: "http", port: values.managementPort, host, setting: managementPort };
  }
  const hasPlainPort =
    values.tlsCertFile === undefined ||
    (values.tlsPort !== undefined && values.tlsRedirect !== true);
  if (hasPlainPort) return { scheme: "http", ...main };
  if (settings.tlsClientCaFile !== undefined && values.tlsClientCaFile !== undefined) {
    const hint =
      managementPort === undefined
        ? ""
        : `: set ${nameSetting(managementPort)}, a port that requires none`;
    throw new ConfigError([
      `The server requires a client certificate (${nameSetting(settings.tlsClientCaFile)}), which this command does not have${hint}`,
    ]);
  }
  return tlsPort === undefined || values.tlsPort === undefined
    ? { scheme: "https", ...main }
    : { scheme: "https", port: values.tlsPort, host: values.host, setting: tlsPort };
}

function toConnectHost(host: string | undefined): string {
  if (host === undefined || host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
