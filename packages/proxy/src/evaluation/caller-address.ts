import type { IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "flags-server-kit";

/** Tells where a request comes from; undefined for a caller without an address, as on a Unix socket. */
export type CallerAddress = (request: IncomingMessage) => string | undefined;

/** Prepares looking up callers' addresses; peers that are trusted may name the one they forward for. */
export function createCallerAddress(trustProxy: TrustProxy): CallerAddress {
  if (trustProxy === false) return ({ socket }) => toPlain(socket.remoteAddress);

  const isTrusted = createTrust(trustProxy);
  return (request) => toPlain(proxyAddress(request, isTrusted));
}

/** Whether to trust what a peer forwards; the first hop is the one that connects to this process. */
type Trust = (address: string, hop: number) => boolean;

/** Makes the function that decides which peers are trusted. */
export function createTrust(trustProxy: TrustProxy): Trust {
  if (typeof trustProxy === "boolean") return () => trustProxy;
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  return proxyAddress.compile([...trustProxy]);
}

const IPV4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const BRACKETED_IPV6 = /^\[([\da-f:.]+)\](?::\d+)?$/i;
const IPV4_OVER_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Writes an address the way rules do: some peers add a port, and IPv6 sockets wrap IPv4. */
function toPlain(address: string | undefined): string | undefined {
  if (address === undefined || !address.includes(":")) return address;
  const found = IPV4_WITH_PORT.exec(address) ?? BRACKETED_IPV6.exec(address);
  const bare = found?.[1] ?? address;
  return IPV4_OVER_IPV6.exec(bare)?.[1] ?? bare;
}
