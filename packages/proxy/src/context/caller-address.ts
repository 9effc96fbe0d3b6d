import type { IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "../config/config.ts";

/** Tells where a request comes from; undefined for a caller without an address, as on a Unix socket. */
export type CallerAddress = (request: IncomingMessage) => string | undefined;

/** Prepares looking up callers' addresses; peers that are trusted may name the one they forward for. */
export function createCallerAddress(trustProxy: TrustProxy): CallerAddress {
  if (trustProxy === false) return ({ socket }) => toPlain(socket.remoteAddress);

  const isTrusted = trustProxy === true ? () => true : proxyAddress.compile([...trustProxy]);
  return (request) => toPlain(proxyAddress(request, isTrusted));
}

/** An IPv4 address that came over an IPv6 socket is written the way rules are written. */
function toPlain(address: string | undefined): string | undefined {
  if (address === undefined || !address.startsWith("::ffff:")) return address;
  return address.includes(".") ? address.slice("::ffff:".length) : address;
}
