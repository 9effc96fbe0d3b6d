import { EnvHttpProxyAgent } from "undici";
import type { Dispatcher } from "undici";

/** Settings for connections to the upstream. */
export interface ConnectionSettings {
  readonly timeoutMs: number;
  readonly rejectUnauthorized: boolean;
  readonly ca: string | readonly string[] | undefined;
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

/** Connection pools, one for each scheme. */
export interface Connections {
  forUrl(url: URL): Dispatcher;
  /** Closes every connection immediately. */
  destroy(): Promise<void>;
}

const KEEP_ALIVE_MS = 30_000;
const NO_PROXY = "";

/**
 * Creates the pools. Undefined proxy settings default to `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`,
 * or their lower-case names, which have precedence. An empty string means no proxy.
 */
export function createConnections(settings: ConnectionSettings): Connections {
  const { httpProxy, httpsProxy } = settings;
  // NOTE: a single agent would send HTTPS requests to the HTTP proxy if no HTTPS proxy is set.
  const http = createAgent(settings, { ...optional("httpProxy", httpProxy), httpsProxy: NO_PROXY });
  const https = createAgent(settings, {
    ...optional("httpsProxy", httpsProxy),
    httpProxy: NO_PROXY,
  });
  return {
    forUrl: ({ protocol }) => (protocol === "https:" ? https : http),
    destroy: async () => {
      await Promise.all([http.destroy(), https.destroy()]);
    },
  };
}

function createAgent(
  settings: ConnectionSettings,
  proxies: EnvHttpProxyAgent.Options,
): EnvHttpProxyAgent {
  try {
    return new EnvHttpProxyAgent({ ...toAgentOptions(settings), ...proxies });
  } catch {
    // The cause is omitted: it contains the URL, which may contain a password.
    throw new TypeError("Cannot create a flags client: HTTP_PROXY or HTTPS_PROXY is not a URL");
  }
}

function toAgentOptions(settings: ConnectionSettings): EnvHttpProxyAgent.Options {
  const trust = settings.ca === undefined ? {} : { ca: toTrusted(settings.ca) };
  const tls = { ...trust, rejectUnauthorized: settings.rejectUnauthorized };
  return {
    ...optional("noProxy", settings.noProxy),
    // Plain HTTP requests do not use CONNECT: many proxies reject it for ports other than 443.
    proxyTunnel: false,
    connect: { ...tls, timeout: settings.timeoutMs },
    requestTls: tls,
    proxyTls: trust,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Every call has a deadline that covers headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

function toTrusted(ca: string | readonly string[]): string[] {
  return typeof ca === "string" ? [ca] : [...ca];
}

function optional<Name extends string>(
  name: Name,
  value: string | undefined,
): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}
