import { createAccessCheck } from "flags-server-kit/http";
import type { ProxyConfig } from "../config/config.ts";
import { createCallerAddress } from "./caller-address.ts";
import type { ProxyRequest } from "../core/http/request.ts";

/** Whether the address lists allow a request. */
export type AllowRequest = (request: ProxyRequest) => boolean;

/** Creates the check of requests against the address lists; undefined if there are none. */
export function createAllowRequest({ network, trustProxy }: ProxyConfig): AllowRequest | undefined {
  const isAllowed = createAccessCheck(network);
  if (isAllowed === undefined) return undefined;
  const callerAddress = createCallerAddress(trustProxy);
  return (request) => isAllowed(callerAddress(request));
}
