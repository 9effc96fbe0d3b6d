import type { IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "flags-server-kit";
import { toTrustOption, type TrustFunction } from "flags-server-kit/http";

/** Returns the address of the client that sent a request; undefined if it is not known. */
export type CallerAddress = (request: IncomingMessage) => string | undefined;

/** Creates a function that finds the client's address, which trusted peers may forward in a header. */
export function createCallerAddress(trustProxy: TrustProxy): CallerAddress {
  if (trustProxy === false) return ({ socket }) => toPlain(socket.remoteAddress);

  const isTrusted = compileTrust(trustProxy);
  return (request) => toPlain(proxyAddress(request, isTrusted));
}

function compileTrust(trustProxy: TrustProxy): TrustFunction {
  const trust = toTrustOption(trustProxy);
  if (typeof trust === "boolean") return () => trust;
  return typeof trust === "function" ? trust : proxyAddress.compile(trust);
}

const IPV4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const BRACKETED_IPV6 = /^\[([\da-f:.]+)\](?::\d+)?$/i;
const IPV4_OVER_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Removes the port that some peers add, and the prefix of an IPv4 address on an IPv6 socket. */
function toPlain(address: string | undefined): string | undefined {
  // A peer that does not reveal the address may say so.
  if (address === undefined || address === "unknown") return undefined;
  if (!address.includes(":")) return address;
  const found = IPV4_WITH_PORT.exec(address) ?? BRACKETED_IPV6.exec(address);
  const bare = found?.[1] ?? address;
  return IPV4_OVER_IPV6.exec(bare)?.[1] ?? bare;
}
