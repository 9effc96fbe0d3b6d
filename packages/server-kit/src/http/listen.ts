import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Server as TlsServer } from "node:tls";

export interface ListenAddress {
  /** 0 chooses any free port. */
  readonly port: number;
  readonly host: string | undefined;
  /** The variables to change if the port cannot be opened. @default PORT and HOST */
  readonly variables?: ListenVariables;
}

export interface ListenVariables {
  readonly port: string;
  readonly host: string;
}

export interface OpenPort {
  readonly port: number;
  readonly origin: string;
}

/** Says where a server listens, for the log. */
export function describeListening(
  host: string | undefined,
  ports: readonly OpenPort[],
  urls: string,
): string {
  if (!isEveryAddress(host)) return urls;
  const numbers = ports.map(({ port }) => port).join(" and ");
  return `${ports.length === 1 ? "port" : "ports"} ${numbers} of all addresses, for example ${urls}`;
}

/** @param start starts the server and waits; of an application that has to know whether its server listens */
export async function openPort(
  server: Server,
  { port, host, variables }: ListenAddress,
  start: (address: Address) => Promise<unknown> = (address) => startServer(server, address),
): Promise<OpenPort> {
  try {
    // NOTE: an empty host means IPv6 and IPv4, or IPv4 only if there is no IPv6.
    await start({ port, host: host ?? "" });
  } catch (error) {
    throw withVariables(error, variables);
  }
  return describePort(server, host);
}

interface Address {
  readonly port: number;
  readonly host: string;
}

async function startServer(server: Server, address: Address): Promise<void> {
  server.listen(address);
  await once(server, "listening");
}

/** Opens a port for a moment. Throws what `openPort()` throws. */
export async function tryPort(address: ListenAddress): Promise<void> {
  const server = createServer();
  await openPort(server, address);
  server.close();
  await once(server, "close");
}

function withVariables(error: unknown, variables: ListenVariables | undefined): unknown {
  return error instanceof Error && variables !== undefined
    ? Object.assign(error, { variables })
    : error;
}

function describePort(server: Server, host: string | undefined): OpenPort {
  const { port } = server.address() as AddressInfo;
  const scheme = server instanceof TlsServer ? "https" : "http";
  return { port, origin: `${scheme}://${toUrlHost(host)}:${port}` };
}

function toUrlHost(host: string | undefined): string {
  if (host === undefined || isEveryAddress(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function isEveryAddress(host: string | undefined): boolean {
  return host === undefined || host === "0.0.0.0" || host === "::";
}
