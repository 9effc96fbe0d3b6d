import type { IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "flags-server-kit";
import { toTrustOption, type TrustFunction } from "flags-server-kit/http";

/** Tells where a request comes from; undefined for a caller without an address, as on a Unix socket. */
export type CallerAddress = (request: IncomingMessage) => string | undefined;

/** Prepares looking up callers' addresses; peers that are trusted may name the one they forward for. */
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

/** Writes an address the way rules do: some peers add a port, and IPv6 sockets wrap IPv4. */
function toPlain(address: string | undefined): string | undefined {
  if (address === undefined || !address.includes(":")) return address;
  const found = IPV4_WITH_PORT.exec(address) ?? BRACKETED_IPV6.exec(address);
  const bare = found?.[1] ?? address;
  return IPV4_OVER_IPV6.exec(bare)?.[1] ?? bare;
}
