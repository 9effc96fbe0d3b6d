import type { IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";
import type { TrustProxy } from "flags-server-kit";
import { toTrustOption, type TrustFunction } from "flags-server-kit/http";
import { toPlainAddress } from "../core/context/plain-address.ts";
import type { ProxyRequest, RequestOrigin } from "../core/http/request.ts";

export function createCallerAddress(
  trustProxy: TrustProxy,
): (request: Pick<ProxyRequest, "headers" | "socket">) => string | undefined {
  if (trustProxy === false) return ({ socket }) => toPlainAddress(socket.remoteAddress);

  const isTrusted = compileTrust(trustProxy);
  // It reads nothing else.
  return (request) => toPlainAddress(proxyAddress(request as IncomingMessage, isTrusted));
}

export function createRequestOrigin(trustProxy: TrustProxy): RequestOrigin {
  const isTrusted = compileTrust(trustProxy);
  return ({ headers, socket: { encrypted, remoteAddress = "" } }) => {
    const forwards = isTrusted(remoteAddress, 0);
    const forwarded = (name: string): string | undefined =>
      forwards ? lastOf(headers[name]) : undefined;
    const scheme = forwarded("x-forwarded-proto") ?? (encrypted === true ? "https" : "http");
    return `${scheme}://${forwarded("x-forwarded-host") ?? headers.host ?? ""}`;
  };
}

/** The last value of a list: the nearest peer has added it. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const last = header?.toString().split(",").at(-1)?.trim();
  return last === "" ? undefined : last;
}

function compileTrust(trustProxy: TrustProxy): TrustFunction {
  const trust = toTrustOption(trustProxy);
  if (typeof trust === "boolean") return () => trust;
  return typeof trust === "function" ? trust : proxyAddress.compile(trust);
}
