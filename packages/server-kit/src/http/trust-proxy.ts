import type { TrustProxy } from "../config/trust-proxy.ts";

/** Returns whether to trust a peer. Hop 0 is the peer that connects to this process. */
export type TrustFunction = (address: string, hop: number) => boolean;

/** Converts the setting to a form that Fastify and `@fastify/proxy-addr` accept: not a number. */
export function toTrustOption(trustProxy: TrustProxy): boolean | string[] | TrustFunction {
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  return typeof trustProxy === "boolean" ? trustProxy : [...trustProxy];
}
