import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { EnvHttpProxyAgent } from "undici";
import type { Dispatcher } from "undici";

/** Settings for connections to the upstream. */
export interface ConnectionSettings {
  readonly timeoutMs: number;
  /** @default true */
  readonly rejectUnauthorized?: boolean;
  /** @default the CAs that Node trusts */
  readonly ca?: string | readonly string[] | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Proxies default to the environment, see `createConnections()`. */
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
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
 * or their lower-case names, which have precedence. Without the first two, `ALL_PROXY` applies. An empty
 * string means no proxy.
 */
export function createConnections(settings: ConnectionSettings): Connections {
  const httpProxy = settings.httpProxy ?? readProxy("HTTP_PROXY");
  const httpsProxy = settings.httpsProxy ?? readProxy("HTTPS_PROXY");
  const contexts = createContexts(settings);
  // NOTE: a single agent would send HTTPS requests to the HTTP proxy if no HTTPS proxy is set.
  const http = createAgent(settings, contexts, {
    ...optional("httpProxy", httpProxy),
    httpsProxy: NO_PROXY,
  });
  const https = createAgent(settings, contexts, {
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

function readProxy(variable: "HTTP_PROXY" | "HTTPS_PROXY"): string | undefined {
  return [variable, "ALL_PROXY"]
    .flatMap((name) => [name.toLowerCase(), name])
    .map((name) => process.env[name])
    .find((address) => address !== undefined);
}

function createAgent(
  settings: ConnectionSettings,
  contexts: Contexts,
  proxies: EnvHttpProxyAgent.Options,
): EnvHttpProxyAgent {
  try {
    return new EnvHttpProxyAgent({ ...toAgentOptions(settings, contexts), ...proxies });
  } catch {
    // The cause is omitted: it contains the URL, which may contain a password.
    throw new TypeError(
      "Cannot create a flags client: HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is not the URL of a proxy server without a path, ? or #",
    );
  }
}

function toAgentOptions(
  settings: ConnectionSettings,
  { upstream, proxy }: Contexts,
): EnvHttpProxyAgent.Options {
  const tls = { ...upstream, rejectUnauthorized: settings.rejectUnauthorized ?? true };
  return {
    ...optional("noProxy", settings.noProxy),
    // Plain HTTP requests do not use CONNECT: many proxies reject it for ports other than 443.
    proxyTunnel: false,
    connect: { ...tls, timeout: settings.timeoutMs },
    requestTls: tls,
    proxyTls: proxy,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Every call has a deadline that covers headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

interface ContextOption {
  readonly secureContext?: SecureContext;
}

/** The TLS contexts of connections to the upstream and to a forward proxy; empty: Node's default. */
interface Contexts {
  readonly upstream: ContextOption;
  readonly proxy: ContextOption;
}

/** NOTE: created once, because reading a hundred certificates takes longer than a TLS handshake. */
function createContexts({ ca, cert, key }: ConnectionSettings): Contexts {
  const trust = ca === undefined ? undefined : { ca: toTrusted(ca) };
  const identity = cert === undefined && key === undefined ? undefined : { cert, key };
  try {
    // The client certificate is for the upstream only.
    return {
      upstream: toContext(trust || identity ? { ...trust, ...identity } : undefined),
      proxy: toContext(trust),
    };
  } catch {
    // The cause is omitted: it may contain parts of the key.
    throw new TypeError(
      "Cannot create a flags client: httpOptions.ca, cert or key is not valid PEM, or cert and key do not match",
    );
  }
}

function toContext(options: SecureContextOptions | undefined): ContextOption {
  return options === undefined ? {} : { secureContext: createSecureContext(options) };
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
