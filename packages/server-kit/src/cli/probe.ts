import { Agent, type ClientRequest, get as getHttp, type RequestOptions } from "node:http";
import { ConfigError, type Environment, resolveSettings } from "../config/resolve-settings.ts";
import type { Setting } from "../config/setting.ts";
import { showAddress } from "../config/show-text.ts";
import type { Subcommand, SubcommandResult } from "./subcommand.ts";

/** Orchestrators commonly wait for one or several seconds. */
const TIMEOUT_MS = 1500;

const SUCCESS_STATUS = 200;

/** The settings that determine the address of a server. */
interface ListenSettings {
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

interface ProbeDefinition {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** The meaning of a success, as a sentence. */
  readonly success: string;
  /** The path of the endpoint below the base path. */
  readonly path: string;
  readonly settings: ListenSettings;
}

/** Creates a subcommand that requests an endpoint of the running server, for exec probes. */
export function createProbe(definition: ProbeDefinition): Subcommand {
  const { name, summary, description, success, path, settings } = definition;
  return {
    name,
    summary,
    description: [
      description,
      `Requests ${path} of the server on this machine, at the address that the settings determine, and prints one line. Takes at most ${TIMEOUT_MS / 1000} s. Meant for exec probes of containers, Kubernetes and systemd.`,
    ],
    options: {
      url: {
        value: "URL",
        meaning: `URL of the server without ${path}, if the settings do not determine it.`,
      },
    },
    exitCodes: [
      success,
      "The server responded with an error, did not respond in time, or cannot be reached.",
    ],
    run: async ({ options, environment }) => {
      const { url } = options;
      if (typeof url === "string") return probe(new URL(`${readBaseUrl(url)}${path}`));
      // NOTE: a certificate is for the public name of the server, not for the local address.
      const base = localAddress(settings, environment);
      return probe(new URL(`${base}${path}`), { rejectUnauthorized: false });
    },
  };
}

function readBaseUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new ConfigError([
      `--url must be a URL that starts with http:// or https://, without user name, password, ? or #: current value is ${showAddress(text)}`,
    ]);
  }
  return url.href.replace(/\/+$/, "");
}

function localAddress(settings: ListenSettings, environment: Environment): string {
  const { port, host, basePath, tls, management } = settings;
  const table = {
    port,
    host,
    ...(basePath && { basePath }),
    ...(tls && { certFile: tls.certFile, clientCaFile: tls.clientCaFile }),
    ...(tls && { tlsPort: tls.port, redirect: tls.redirect }),
    ...(management && { managementPort: management.port, managementHost: management.host }),
  };
  const { values, problems } = resolveSettings(table, { environment });
  if (problems.length > 0) throw new ConfigError(problems);
  const address = chooseAddress(values);
  if (address.port === 0) {
    throw new ConfigError([
      `${address.variable} is 0, so the port of the server is not known: pass its address with --url`,
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
  /** The variable with the port. */
  readonly variable: string;
}

/** Chooses a port on which the health is served, preferably without TLS. */
function chooseAddress(values: ListenValues): LocalAddress {
  const { port, host, certFile, clientCaFile, tlsPort, managementPort } = values;
  if (managementPort !== undefined) {
    const managementHost = values.managementHost ?? host;
    const variable = "FLAGS_MANAGEMENT_PORT";
    return { scheme: "http", port: managementPort, host: managementHost, variable };
  }
  const hasPlainPort =
    certFile === undefined || (tlsPort !== undefined && values.redirect !== true);
  if (hasPlainPort) return { scheme: "http", port, host, variable: "PORT" };
  if (clientCaFile !== undefined) {
    throw new ConfigError([
      "The server requires a client certificate (FLAGS_TLS_CLIENT_CA_FILE), which this command does not have: set FLAGS_MANAGEMENT_PORT, whose health needs none",
    ]);
  }
  return tlsPort === undefined
    ? { scheme: "https", port, host, variable: "PORT" }
    : { scheme: "https", port: tlsPort, host, variable: "FLAGS_TLS_PORT" };
}

/** The host to connect to: a server that listens on all addresses also listens on that of loopback. */
function toConnectHost(host: string | undefined): string {
  if (host === undefined || host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

interface ProbeOptions {
  readonly rejectUnauthorized?: boolean;
}

async function probe(url: URL, options: ProbeOptions = {}): Promise<SubcommandResult> {
  const startMs = performance.now();
  const status = await requestStatus(url, options).catch(describeError);
  const durationMs = Math.round(performance.now() - startMs);
  const result = typeof status === "number" ? `status ${status}` : status;
  return {
    output: `${url.href}: ${result}, ${durationMs} ms\n`,
    exitCode: status === SUCCESS_STATUS ? 0 : 1,
  };
}

/** Resolves to the status of the response to a GET request. */
async function requestStatus(url: URL, tls: ProbeOptions): Promise<number> {
  const options: RequestOptions = {
    // A redirect is not followed, so it counts as an error.
    headers: { connection: "close" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  // NOTE: the default agents may send requests through HTTP_PROXY.
  if (url.protocol === "http:") return statusOf(getHttp(url, { ...options, agent: new Agent() }));
  const https = await import("node:https");
  return statusOf(https.get(url, { ...options, ...tls, agent: new https.Agent() }));
}

function statusOf(request: ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens there",
  ECONNRESET: "the connection was closed without a response",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up",
};

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError" || error.name === "AbortError") {
    return `no response within ${TIMEOUT_MS / 1000} s`;
  }
  const { code = "", message } = error as NodeJS.ErrnoException;
  // NOTE: a failed connection to a name with several addresses has a code and no message.
  return REASONS[code] ?? (message === "" ? code : message);
}
