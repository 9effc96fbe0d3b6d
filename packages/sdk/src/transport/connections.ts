import { EnvHttpProxyAgent } from "undici";
import type { Dispatcher } from "undici";

/** How connections to the upstream are made. */
export interface ConnectionSettings {
  readonly timeoutMs: number;
  readonly rejectUnauthorized: boolean;
  readonly ca: string | readonly string[] | undefined;
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

/** Pools of connections, one for each scheme. */
export interface Connections {
  forUrl(url: URL): Dispatcher;
  /** Breaks every connection. */
  destroy(): Promise<void>;
}

const KEEP_ALIVE_MS = 30_000;
const NO_PROXY = "";

/**
 * Makes the pools. A proxy setting that is absent comes from `HTTP_PROXY`, `HTTPS_PROXY` or
 * `NO_PROXY` (or their lower-case names, which win); empty text means none.
 */
export function createConnections(settings: ConnectionSettings): Connections {
  const { httpProxy, httpsProxy } = settings;
  // NOTE: one agent for both schemes would send HTTPS to the proxy for HTTP for want of its own.
  const http = createAgent(settings, { ...given("httpProxy", httpProxy), httpsProxy: NO_PROXY });
  const https = createAgent(settings, { ...given("httpsProxy", httpsProxy), httpProxy: NO_PROXY });
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
    // The cause is left out: it shows the address, which may hold a password.
    throw new TypeError("Cannot create a flags client: HTTP_PROXY or HTTPS_PROXY is not a URL");
  }
}

function toAgentOptions(settings: ConnectionSettings): EnvHttpProxyAgent.Options {
  const trust = settings.ca === undefined ? {} : { ca: toTrusted(settings.ca) };
  const tls = { ...trust, rejectUnauthorized: settings.rejectUnauthorized };
  return {
    ...given("noProxy", settings.noProxy),
    // Plain HTTP goes to a proxy as an ordinary request: many refuse CONNECT to ports other than 443.
    proxyTunnel: false,
    connect: { ...tls, timeout: settings.timeoutMs },
    requestTls: tls,
    proxyTls: trust,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Every call has its own deadline for everything.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

function toTrusted(ca: string | readonly string[]): string[] {
  return typeof ca === "string" ? [ca] : [...ca];
}

function given<Name extends string>(
  name: Name,
  value: string | undefined,
): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}
