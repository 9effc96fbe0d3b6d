import type { IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "flags-server-kit";

/** Returns the address of the client that sent a request; undefined on a Unix socket. */
export type CallerAddress = (request: IncomingMessage) => string | undefined;

/** Creates a function that finds the client's address, which trusted peers may forward in a header. */
export function createCallerAddress(trustProxy: TrustProxy): CallerAddress {
  if (trustProxy === false) return ({ socket }) => toPlain(socket.remoteAddress);

  const isTrusted = createTrust(trustProxy);
  return (request) => toPlain(proxyAddress(request, isTrusted));
}

/** Whether to trust the header of a peer. Hop 0 is the peer that connects to this process. */
type Trust = (address: string, hop: number) => boolean;

/** Creates the function that decides which peers are trusted. */
export function createTrust(trustProxy: TrustProxy): Trust {
  if (typeof trustProxy === "boolean") return () => trustProxy;
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  return proxyAddress.compile([...trustProxy]);
}

const IPV4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const BRACKETED_IPV6 = /^\[([\da-f:.]+)\](?::\d+)?$/i;
const IPV4_OVER_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Removes the port that some peers add, and the prefix of an IPv4 address on an IPv6 socket. */
function toPlain(address: string | undefined): string | undefined {
  if (address === undefined || !address.includes(":")) return address;
  const found = IPV4_WITH_PORT.exec(address) ?? BRACKETED_IPV6.exec(address);
  const bare = found?.[1] ?? address;
  return IPV4_OVER_IPV6.exec(bare)?.[1] ?? bare;
}
