import { once } from "node:events";
import { Agent, request as startRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Socket } from "node:net";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { SDK_NAME } from "../identity.ts";
import {
  type ForwardProxy,
  type ProxySettings,
  readProxies,
  toProxyError,
  TunnelAgent,
} from "./forward-proxies.ts";
import type { ConnectionRequest, ConnectionResponse, Connections } from "./http-client.ts";

export interface ConnectionSettings extends ProxySettings {
  /** The time limit for opening a tunnel through a forward proxy. */
  readonly timeoutMs: number;
  /** @default true */
  readonly rejectUnauthorized?: boolean | undefined;
  /** @default the CAs that Node trusts */
  readonly ca?: string | readonly string[] | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

type SentOptions = Pick<ConnectionRequest, "headers" | "method" | "signal">;

const KEEP_ALIVE_MS = 30_000;
const DEFAULT_HEADERS = { "user-agent": SDK_NAME, "accept-encoding": "gzip, deflate, br" };

/** Connections whose responses are also available as Node has received them. */
export interface NodeConnections extends Connections {
  send(
    request: ConnectionRequest,
  ): Promise<ConnectionResponse & { readonly message: IncomingMessage }>;
}

/**
 * Creates connections of Node, which stay open between requests.
 *
 * @throws {TypeError} if the URL of a forward proxy, a certificate or a key is invalid
 */
export function createConnections(settings: ConnectionSettings): NodeConnections {
  const { timeoutMs, rejectUnauthorized = true } = settings;
  const contexts = createContexts(settings);
  const proxies = readProxies(settings);
  const keepAlive = { keepAlive: true, timeout: KEEP_ALIVE_MS };
  const tls = { ...keepAlive, ...contexts.upstream, rejectUnauthorized };
  const plainAgent = new Agent(keepAlive);
  const tlsAgent = new TlsAgent(tls);
  const tlsProxyAgent = new TlsAgent({ ...keepAlive, ...contexts.proxy });
  const agentTo = ({ protocol }: URL): Agent =>
    protocol === "https:" ? tlsProxyAgent : plainAgent;
  const tunnelAgent =
    proxies.https &&
    new TunnelAgent(tls, { ...proxies.https, agent: agentTo(proxies.https.url), timeoutMs });

  const start = (
    url: URL,
    options: SentOptions,
    proxy: ForwardProxy | undefined,
  ): ClientRequest => {
    if (url.protocol === "https:") {
      const agent = (proxy && tunnelAgent) ?? tlsAgent;
      return startRequest(url, { ...options, agent });
    }
    if (proxy === undefined) return startRequest(url, { ...options, agent: plainAgent });
    // Not through a tunnel: many proxies allow that only for port 443.
    const headers = { host: url.host, ...proxy.headers, ...options.headers };
    const path = `${url.origin}${url.pathname}${url.search}`;
    return startRequest(proxy.url, { ...options, agent: agentTo(proxy.url), path, headers });
  };

  return {
    send: async ({ url, method, headers: given, body, signal }) => {
      const headers = { ...DEFAULT_HEADERS, ...given };
      const proxy = proxies.find(url);
      const request = start(url, { method, headers, signal }, proxy);
      // NOTE: an error while the response is read ends it, and is also an event of the request.
      request.on("error", () => undefined);
      const end = (): unknown => request.end(body);
      request.once("socket", (socket: Socket & { readonly secureConnecting?: boolean }) => {
        // NOTE: not sent earlier, because an error of sending would hide one of TLS.
        if (socket.secureConnecting === true) socket.once("secureConnect", end);
        else end();
      });
      const [response] = (await once(request, "response").catch((error: unknown) => {
        throw proxy === undefined || url.protocol === "https:"
          ? error
          : toProxyError(proxy.url, error);
      })) as [IncomingMessage];
      return {
        message: response,
        status: response.statusCode ?? 0,
        headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
        body: decode(response),
        // Keeps the connection only if the whole response has arrived.
        discard: () => void (response.complete ? response.resume() : response.destroy()),
      };
    },
    destroy: () => {
      for (const agent of [plainAgent, tlsAgent, tlsProxyAgent, tunnelAgent]) agent?.destroy();
    },
  };
}

/** A truncated body is not an error of decompression. */
const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = constants.BROTLI_OPERATION_FLUSH;
const DECODERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: () => createGunzip(FLUSH),
  "x-gzip": () => createGunzip(FLUSH),
  deflate: () => createInflate(FLUSH),
  br: () => createBrotliDecompress({ flush: BROTLI_FLUSH, finishFlush: BROTLI_FLUSH }),
};

function decode(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"]?.toLowerCase() ?? "";
  const decoder = DECODERS[encoding]?.();
  return decoder === undefined ? response : pipeline(response, decoder, () => undefined);
}

/** The TLS contexts of connections to the upstream and to a forward proxy; empty: Node's default. */
function createContexts({ ca: trusted, cert, key }: ConnectionSettings) {
  const ca = trusted === undefined ? undefined : [trusted].flat();
  try {
    // The client certificate is for the upstream only.
    return { upstream: toContext({ ca, cert, key }), proxy: toContext({ ca }) };
  } catch {
    // The cause is omitted: it may contain parts of the key.
    throw new TypeError(
      "Cannot create a flags client: httpOptions.ca, cert or key is not valid PEM, or cert and key do not match",
    );
  }
}

/** NOTE: created once, because reading a hundred certificates takes longer than a TLS handshake. */
function toContext(options: SecureContextOptions): { readonly secureContext?: SecureContext } {
  const isDefault = Object.values(options).every((value) => value === undefined);
  return isDefault ? {} : { secureContext: createSecureContext(options) };
}
