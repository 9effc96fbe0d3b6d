import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "flags-server-kit";
import { toPlainAddress } from "../core/context/plain-address.ts";
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
  if (trustProxy === false) return ({ socket }) => toPlainAddress(socket.remoteAddress);

  const isTrusted = compileTrust(trustProxy);
  // It reads nothing else.
  return (request) => toPlainAddress(proxyAddress(request as IncomingMessage, isTrusted));
}

/** Compiles the setting to a function that decides whether a peer is trusted. */
export function compileTrust(trustProxy: TrustProxy): TrustFunction {
  const trust = toTrustOption(trustProxy);
  if (typeof trust === "boolean") return () => trust;
  return typeof trust === "function" ? trust : proxyAddress.compile(trust);
}
