import { once } from "node:events";
import { Agent, type IncomingMessage, request as startRequest } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { addAbortSignal } from "node:stream";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import {
  addressOf,
  credentialsOf,
  limitConnecting,
  readProxies,
  TunnelAgent,
} from "./forward-proxies.ts";
import type { ProxySettings, Route } from "./forward-proxies.ts";

/** Settings for connections to the upstream. */
export interface ConnectionSettings extends ProxySettings {
  /** The time limit for opening a connection. */
  readonly timeoutMs: number;
  /** @default true */
  readonly rejectUnauthorized?: boolean;
  /** @default the CAs that Node trusts */
  readonly ca?: string | readonly string[] | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

interface ConnectionRequest {
  readonly url: URL;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Also ends a response. */
  readonly signal: AbortSignal;
}

/** Connections that stay open between requests. */
export interface Connections {
  /** Resolves to a response when its headers have arrived. It must be read or destroyed. */
  send(request: ConnectionRequest): Promise<IncomingMessage>;
  /** Closes every connection immediately. */
  destroy(): void;
}

const KEEP_ALIVE_MS = 30_000;

/** @throws {TypeError} if the URL of a forward proxy, a certificate or a key is invalid */
export function createConnections(settings: ConnectionSettings): Connections {
  const { timeoutMs, rejectUnauthorized = true } = settings;
  const contexts = createContexts(settings);
  const proxies = readProxies(settings);
  const keepAlive = { keepAlive: true, timeout: KEEP_ALIVE_MS };
  const tls = { ...keepAlive, ...contexts.upstream, rejectUnauthorized };
  const plainAgent = new Agent(keepAlive);
  const tlsAgent = new TlsAgent(tls);
  const tlsProxyAgent = new TlsAgent({ ...keepAlive, ...contexts.proxy });
  const toProxy = (proxy: URL): Route => ({
    ...addressOf(proxy),
    agent: proxy.protocol === "https:" ? tlsProxyAgent : plainAgent,
    headers: credentialsOf(proxy),
  });
  const httpProxy = proxies.http && toProxy(proxies.http);
  const tunnelAgent = proxies.https
    ? new TunnelAgent(tls, toProxy(proxies.https), timeoutMs)
    : tlsAgent;

  const route = (url: URL): Route => {
    const path = `${url.pathname}${url.search}`;
    const to = { ...addressOf(url), path, headers: { host: url.host } };
    const isDirect = proxies.isExempt(url);
    if (url.protocol === "https:") return { ...to, agent: isDirect ? tlsAgent : tunnelAgent };
    if (isDirect || httpProxy === undefined) return { ...to, agent: plainAgent };
    // Not through a tunnel: many proxies allow that only for port 443.
    const headers = { ...to.headers, ...httpProxy.headers };
    return { ...httpProxy, path: `${url.origin}${path}`, headers };
  };

  const send = async (sent: ConnectionRequest): Promise<IncomingMessage> => {
    const { method, signal } = sent;
    const to = route(sent.url);
    const headers = { ...to.headers, ...sent.headers };
    const request = startRequest({ ...to, method, headers, signal });
    // NOTE: an error while the response is read ends it, and is also an event of the request.
    request.on("error", () => undefined);
    const clearLimit = limitConnecting(request, timeoutMs);
    // NOTE: not sent earlier, because an error of sending would hide one of TLS.
    const onOpen = (): void => {
      clearLimit();
      request.end(sent.body);
    };
    request.once("socket", (socket) => {
      const isTls = "secureConnecting" in socket;
      const isOpening = isTls ? socket.secureConnecting === true : socket.connecting;
      if (isOpening) socket.once(isTls ? "secureConnect" : "connect", onOpen);
      else onOpen();
    });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return addAbortSignal(signal, response);
  };

  return {
    send,
    destroy: () => {
      for (const agent of [plainAgent, tlsAgent, tlsProxyAgent, tunnelAgent]) agent.destroy();
    },
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
