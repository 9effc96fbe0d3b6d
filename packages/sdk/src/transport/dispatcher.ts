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

const KEEP_ALIVE_MS = 30_000;

/**
 * Makes the pool of connections. A proxy setting that is absent comes from `HTTP_PROXY`,
 * `HTTPS_PROXY` or `NO_PROXY` (or their lower-case names, which win); empty text means none.
 */
export function createDispatcher(settings: ConnectionSettings): Dispatcher {
  try {
    return new EnvHttpProxyAgent(toAgentOptions(settings));
  } catch {
    // The cause is left out: it shows the address, which may hold a password.
    throw new TypeError("Cannot create a flags client: HTTP_PROXY or HTTPS_PROXY is not a URL");
  }
}

function toAgentOptions(settings: ConnectionSettings): EnvHttpProxyAgent.Options {
  const trust = settings.ca === undefined ? {} : { ca: toTrusted(settings.ca) };
  const tls = { ...trust, rejectUnauthorized: settings.rejectUnauthorized };
  return {
    ...given("httpProxy", settings.httpProxy),
    ...given("httpsProxy", settings.httpsProxy),
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
