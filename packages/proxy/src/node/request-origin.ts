import type { TrustProxy } from "flags-server-kit";
import { compileTrust } from "./caller-address.ts";
import type { RequestOrigin } from "../core/http/request.ts";

/** Creates the function that finds the origin of a request, which trusted peers may forward in headers. */
export function createRequestOrigin(trustProxy: TrustProxy): RequestOrigin {
  const isTrusted = trustProxy === false ? undefined : compileTrust(trustProxy);
  return ({ headers, socket: { encrypted, remoteAddress = "" } }) => {
    const forwards = isTrusted?.(remoteAddress, 0) === true;
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
