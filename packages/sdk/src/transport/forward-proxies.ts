import {
  type Agent as HttpAgent,
  type ClientRequestArgs,
  request as startRequest,
} from "node:http";
import { Agent, type AgentOptions } from "node:https";
import { BlockList, isIP, isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { describeCause, FORWARD_PROXY_CODE } from "./upstream-error.ts";

/** Forward proxies; an empty string means none. */
export interface ProxySettings {
  /** @default `HTTP_PROXY`, then `ALL_PROXY` of the environment; their lower-case names have precedence */
  readonly httpProxy?: string | undefined;
  /** @default `HTTPS_PROXY`, then `ALL_PROXY`, likewise */
  readonly httpsProxy?: string | undefined;
  /** @default `NO_PROXY`, likewise */
  readonly noProxy?: string | undefined;
}

export interface ForwardProxy {
  /** Without credentials. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

interface ForwardProxies {
  readonly https: ForwardProxy | undefined;
  /** The one for requests to a URL; undefined for none. */
  readonly find: (url: URL) => ForwardProxy | undefined;
}

/** @throws {TypeError} if the URL of a proxy is invalid */
export function readProxies(settings: ProxySettings): ForwardProxies {
  const exemptions = (settings.noProxy ?? readVariable("NO_PROXY") ?? "").toLowerCase();
  const entries = exemptions
    .split(/[,\s]+/)
    .filter(Boolean)
    .map(toExemption);
  const http = toProxy(settings.httpProxy ?? readVariable("HTTP_PROXY", "ALL_PROXY"));
  const https = toProxy(settings.httpsProxy ?? readVariable("HTTPS_PROXY", "ALL_PROXY"));
  const find = (url: URL): ForwardProxy | undefined => {
    if (entries.some((exempts) => exempts(url))) return undefined;
    return url.protocol === "https:" ? https : http;
  };
  return { https, find };
}

function readVariable(...names: readonly string[]): string | undefined {
  return names
    .flatMap((name) => [name.toLowerCase(), name])
    .map((name) => process.env[name])
    .find((value) => value !== undefined);
}

function toProxy(address: string | undefined): ForwardProxy | undefined {
  if (!address) return undefined;
  try {
    const url = new URL(address);
    const headers = credentialsOf(url);
    Object.assign(url, { username: "", password: "" });
    if (/^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return { url, headers };
  } catch {
    // The cause is omitted: it contains the URL, which may contain a password.
  }
  throw new TypeError(
    "Cannot create a flags client: HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is not the URL of a proxy server without a path, ? or #",
  );
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** An entry is `*`, an address, a CIDR range, or a host that includes its subdomains; all but `*` possibly with a port. */
function toExemption(entry: string): (url: URL) => boolean {
  if (entry === "*") return () => true;
  const [, host = entry, exemptPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  const includes = toRange(host) ?? toDomain(host);
  return ({ protocol, hostname, port }) =>
    (exemptPort === undefined || exemptPort === (port || DEFAULT_PORTS[protocol])) &&
    includes(hostname);
}

function toDomain(host: string): (hostname: string) => boolean {
  const domain = host.replace(/^\*?\./, "");
  return (hostname) => hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Addresses are compared by value. Returns undefined for text that is neither an address nor a CIDR range. */
function toRange(host: string): ((hostname: string) => boolean) | undefined {
  const [start = "", prefix] = withoutBrackets(host).split("/", 2);
  const bits = prefix ?? (isIPv6(start) ? "128" : "32");
  if (isIP(start) === 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const list = new BlockList();
  try {
    list.addSubnet(start, Number(bits), familyOf(start));
  } catch {
    // There is no such prefix.
    return undefined;
  }
  return (hostname) => {
    const address = withoutBrackets(hostname);
    return isIP(address) !== 0 && list.check(address, familyOf(address));
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** NOTE: without a cause, because messages say what to do about the innermost one, as if the server itself had failed. */
class ForwardProxyError extends Error {
  readonly code = FORWARD_PROXY_CODE;
}

/** Names the forward proxy as the place of a failure. */
export function toProxyError({ origin }: URL, error: unknown): Error {
  return new ForwardProxyError(
    `the forward proxy ${origin} cannot be used: ${describeCause(error)}`,
  );
}

type OnConnected = (error: Error | null, socket: Duplex) => void;

interface Tunnels extends ForwardProxy {
  readonly agent: HttpAgent;
  readonly timeoutMs: number;
}

/** Connects to servers with TLS through a forward proxy. */
export class TunnelAgent extends Agent {
  readonly #tunnels: Tunnels;

  /** @param options of TLS to the servers */
  constructor(options: AgentOptions, tunnels: Tunnels) {
    super(options);
    this.#tunnels = tunnels;
  }

  override createConnection(options: ClientRequestArgs, callback: OnConnected): undefined {
    const { host = "", port } = options;
    const { url, agent, timeoutMs: timeout } = this.#tunnels;
    const path = `${isIPv6(host ?? "") ? `[${host}]` : host}:${port}`;
    const headers = { host: path, ...this.#tunnels.headers };
    const request = startRequest(url, { method: "CONNECT", path, headers, agent, timeout });
    const fail = (error: Error): void => callback(error, undefined as never);
    request.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200)
        return callback(null, connectTls({ ...(options as ConnectionOptions), socket }));
      socket.destroy();
      fail(new ForwardProxyError(`the forward proxy responded with ${statusCode}`));
    });
    request.once("timeout", () => request.destroy(new Error("there is no response")));
    request.once("error", (error) => fail(toProxyError(url, error)));
    request.end();
    return undefined;
  }
}
