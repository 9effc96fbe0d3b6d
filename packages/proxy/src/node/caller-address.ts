import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "flags-server-kit";
import { toTrustOption, type TrustFunction } from "flags-server-kit/http";

/** The parts of a request that tell where it came from. */
interface RequestOrigin {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Creates a function that finds the client's address, which trusted peers may forward in a header. */
export function createCallerAddress(
  trustProxy: TrustProxy,
): (request: RequestOrigin) => string | undefined {
  if (trustProxy === false) return ({ socket }) => toPlain(socket.remoteAddress);

  const isTrusted = compileTrust(trustProxy);
  // It reads nothing else.
  return (request) => toPlain(proxyAddress(request as IncomingMessage, isTrusted));
}

/** Compiles the setting to a function that decides whether a peer is trusted. */
export function compileTrust(trustProxy: TrustProxy): TrustFunction {
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
