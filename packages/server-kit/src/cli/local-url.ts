import { ConfigError, type Environment, resolveSettings } from "../config/resolve-settings.ts";
import { nameSetting, type Setting } from "../config/setting.ts";

/** The settings that determine the address of a server. */
export interface ListenSettings {
  readonly port: Setting<number, number>;
  readonly host: Setting<string>;
  readonly basePath?: Setting<string, string>;
  /** For a server that can use TLS. */
  readonly tls?: {
    readonly certFile: Setting<string>;
    readonly clientCaFile: Setting<string>;
    readonly port: Setting<number>;
    readonly redirect: Setting<boolean, boolean>;
  };
  /** For a server that can serve its health on a separate port, which is plain HTTP. */
  readonly management?: { readonly port: Setting<number>; readonly host: Setting<string> };
}

/** Where the values of the settings come from. */
export interface ListenSources {
  readonly environment: Environment;
  /** The names under which the user has set variables, where they differ. */
  readonly origins?: ReadonlyMap<string, string>;
}

/**
 * Returns the URL at which the server on this machine can be reached, with its base path.
 *
 * @throws {ConfigError} if the settings do not determine it
 */
export function findLocalUrl(settings: ListenSettings, sources: ListenSources): string {
  const { port, host, basePath, tls, management } = settings;
  const table = {
    port,
    host,
    ...(basePath && { basePath }),
    ...(tls && { certFile: tls.certFile, clientCaFile: tls.clientCaFile }),
    ...(tls && { tlsPort: tls.port, redirect: tls.redirect }),
    ...(management && { managementPort: management.port, managementHost: management.host }),
  };
  const { values, problems } = resolveSettings(table, sources);
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

interface ListenValues {
  readonly port: number;
  readonly host: string | undefined;
  readonly certFile?: string | undefined;
  readonly clientCaFile?: string | undefined;
  readonly tlsPort?: number | undefined;
  readonly redirect?: boolean;
  readonly managementPort?: number | undefined;
  readonly managementHost?: string | undefined;
}

interface LocalAddress {
  readonly scheme: "http" | "https";
  readonly port: number;
  readonly host: string | undefined;
  /** The setting with the port. */
  readonly setting: Setting<unknown>;
}

/** Chooses a port, preferably one without TLS. */
function chooseAddress(
  { tls, management, ...main }: ListenSettings,
  values: ListenValues,
): LocalAddress {
  const { port, host, certFile, clientCaFile, tlsPort, managementPort } = values;
  if (management !== undefined && managementPort !== undefined) {
    const managementHost = values.managementHost ?? host;
    return { scheme: "http", port: managementPort, host: managementHost, setting: management.port };
  }
  const hasPlainPort =
    certFile === undefined || (tlsPort !== undefined && values.redirect !== true);
  if (tls === undefined || hasPlainPort) return { scheme: "http", port, host, setting: main.port };
  if (clientCaFile !== undefined) {
    const hint =
      management === undefined
        ? ""
        : `: set ${nameSetting(management.port)}, a port that requires none`;
    throw new ConfigError([
      `The server requires a client certificate (${nameSetting(tls.clientCaFile)}), which this command does not have${hint}`,
    ]);
  }
  return tlsPort === undefined
    ? { scheme: "https", port, host, setting: main.port }
    : { scheme: "https", port: tlsPort, host, setting: tls.port };
}

/** The host to connect to: a server that listens on all addresses also listens on the loopback address. */
function toConnectHost(host: string | undefined): string {
  if (host === undefined || host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
