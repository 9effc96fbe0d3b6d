import { once } from "node:events";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { Agent, request as requestTls, type RequestOptions } from "node:https";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { ProxyConfig } from "../src/config/config.ts";
import type { NetworkConfig, TlsConfig } from "../src/config/load-network.ts";
import { loadTlsMaterial } from "../src/config/load-network.ts";
import { toSource } from "../src/sources/sources.ts";
import { serve, type ServedProxy } from "../src/start/start.ts";
import { SAMPLE } from "./_documents.ts";
import { KEY, proxyConfig } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

/** Starts a proxy with all its ports, which are free ones, for the duration of a test. */
export async function startServed(
  network: Partial<NetworkConfig>,
  overrides: Partial<ProxyConfig> = {},
  source: DocumentSource = new DocumentSource(SAMPLE),
): Promise<ServedProxy> {
  const config = proxyConfig(overrides);
  const served = await serve(
    { ...config, network: { ...config.network, ...network } },
    { sources: [toSource(source)], areOwned: true },
  );
  onTestFinished(async () => {
    for (const server of [served.server, ...served.furtherServers]) server.closeAllConnections();
    await served.close();
  });
  return served;
}

export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
}

/** The configuration of TLS with these files. */
export function tlsConfig(
  { cert, key, ca }: TlsPaths,
  { port, redirects = false }: { readonly port?: number; readonly redirects?: boolean } = {},
): TlsConfig {
  const named = (origin: string, path: string) => ({ origin, path });
  const files = {
    cert: named("FLAGS_TLS_CERT_FILE", cert),
    key: named("FLAGS_TLS_KEY_FILE", key),
    clientCa: ca === undefined ? undefined : named("FLAGS_TLS_CLIENT_CA_FILE", ca),
  };
  const material = loadTlsMaterial(files);
  if ("problems" in material) throw new Error(material.problems.join());
  return { files, material, port, redirects };
}

/** Returns the port of the first server other than that of the app. */
export function furtherPort({ furtherServers }: ServedProxy, index = 0): number {
  const address = furtherServers[index]?.address() ?? undefined;
  if (typeof address !== "object") throw new Error("There is no such server");
  return address.port;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The common name of the certificate of the server; undefined without TLS. */
  readonly servedBy: string | undefined;
}

/** Sends a request with a client key, on a new connection unless there is an agent. */
export async function send(
  url: string,
  { headers, ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<Reply> {
  const isTls = url.startsWith("https:");
  const sent = (isTls ? requestTls : requestPlain)(url, {
    agent: false,
    ...options,
    headers: { authorization: KEY, ...(headers as Record<string, string>) },
  });
  sent.end(options.body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const socket = response.socket as { getPeerCertificate?: () => { subject?: { CN?: string } } };
  const servedBy = socket.getPeerCertificate?.().subject?.CN;
  const { statusCode = 0, headers: received } = response;
  return { status: statusCode, headers: received, body: await text(response), servedBy };
}

/** An agent that keeps one connection open. */
export function keepAlive(ca: string): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
  onTestFinished(() => agent.destroy());
  return agent;
}
