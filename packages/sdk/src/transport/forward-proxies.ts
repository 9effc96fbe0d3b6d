import { request as startRequest } from "node:http";
import type { ClientRequest, ClientRequestArgs, RequestOptions } from "node:http";
import { Agent, type AgentOptions } from "node:https";
import { isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { urlToHttpOptions } from "node:url";

/** Forward proxies; an empty string means none. */
export interface ProxySettings {
  /** @default `HTTP_PROXY`, then `ALL_PROXY` of the environment; their lower-case names have precedence */
  readonly httpProxy?: string | undefined;
  /** @default `HTTPS_PROXY`, then `ALL_PROXY`, likewise */
  readonly httpsProxy?: string | undefined;
  /** @default `NO_PROXY`, likewise */
  readonly noProxy?: string | undefined;
}

/** The proxies for each kind of URL. */
interface ForwardProxies {
  readonly http: URL | undefined;
  readonly https: URL | undefined;
  /** Whether requests to a URL use no proxy. */
  readonly isExempt: (url: URL) => boolean;
}

/** @throws {TypeError} if the URL of a proxy is invalid */
export function readProxies(settings: ProxySettings): ForwardProxies {
  const exemptions = (settings.noProxy ?? readVariable("NO_PROXY") ?? "").toLowerCase();
  const entries = exemptions.split(/[,\s]+/).filter(Boolean);
  return {
    http: toProxy(settings.httpProxy ?? readVariable("HTTP_PROXY", "ALL_PROXY")),
    https: toProxy(settings.httpsProxy ?? readVariable("HTTPS_PROXY", "ALL_PROXY")),
    isExempt: (url) => entries.some((entry) => exempts(entry, url)),
  };
}

function readVariable(...names: readonly string[]): string | undefined {
  return names
    .flatMap((name) => [name.toLowerCase(), name])
    .map((name) => process.env[name])
    .find((value) => value !== undefined);
}

function toProxy(address: string | undefined): URL | undefined {
  if (!address) return undefined;
  try {
    const url = new URL(address);
    credentialsOf(url);
    if (/^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === "/")
      return url;
  } catch {
    // The cause is omitted: it contains the URL, which may contain a password.
  }
  throw new TypeError(
    "Cannot create a flags client: HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is not the URL of a proxy server without a path, ? or #",
  );
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** An entry is `*`, or a host that includes its subdomains, possibly with a port. */
function exempts(entry: string, { protocol, hostname, port }: URL): boolean {
  if (entry === "*") return true;
  const [, host = entry, exemptPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
  if (exemptPort !== undefined && exemptPort !== (port || DEFAULT_PORTS[protocol])) return false;
  const domain = host.replace(/^\*?\./, "");
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Where and how to send a request. */
export interface Route extends RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
}

/** The options of a request that contain the address in a URL. */
export function addressOf(url: URL): RequestOptions {
  const { protocol, hostname, port } = urlToHttpOptions(url);
  return { protocol, hostname, port };
}

/** The header with the credentials in the URL of a proxy. */
export function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Ends a request that has no connection in time. Returns a function that ends the limit instead. */
export function limitConnecting(request: ClientRequest, timeoutMs: number): () => void {
  const timer = setTimeout(() => {
    const message = `no connection within ${timeoutMs} ms`;
    request.destroy(Object.assign(new Error(message), { code: "ETIMEDOUT" }));
  }, timeoutMs);
  const clear = (): void => clearTimeout(timer);
  request.once("close", clear);
  return clear;
}

type OnConnected = (error: Error | null, socket: Duplex) => void;

/** Connects to servers with TLS through a forward proxy. */
export class TunnelAgent extends Agent {
  readonly #proxy: Route;
  readonly #timeoutMs: number;

  /** @param options of TLS to the servers; `proxy` are those of requests to the proxy */
  constructor(options: AgentOptions, proxy: Route, timeoutMs: number) {
    super(options);
    this.#proxy = proxy;
    this.#timeoutMs = timeoutMs;
  }

  override createConnection(options: ClientRequestArgs, callback: OnConnected): undefined {
    const { host = "", port } = options;
    const path = `${isIPv6(host ?? "") ? `[${host}]` : host}:${port}`;
    const headers = { host: path, ...this.#proxy.headers };
    const request = startRequest({ ...this.#proxy, method: "CONNECT", path, headers });
    const fail = (error: Error): void => callback(error, undefined as never);
    request.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200)
        return callback(null, connectTls({ ...(options as ConnectionOptions), socket }));
      socket.destroy();
      fail(new Error(`the forward proxy responded with ${statusCode}`));
    });
    limitConnecting(request, this.#timeoutMs);
    request.once("error", fail);
    request.end();
    return undefined;
  }
}
