import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { createAccessCheck } from "flags-server-kit/http";
import type { ProxyConfig } from "../config/config.ts";
import { createCallerAddress } from "../context/caller-address.ts";
import { addressNotAllowed } from "../errors.ts";

/** Whether the address lists allow a request. */
export type AllowRequest = (request: IncomingMessage) => boolean;

/** Creates the check of requests against the address lists; undefined if there are none. */
export function createAllowRequest({ network, trustProxy }: ProxyConfig): AllowRequest | undefined {
  const isAllowed = createAccessCheck(network);
  if (isAllowed === undefined) return undefined;
  const callerAddress = createCallerAddress(trustProxy);
  return (request) => isAllowed(callerAddress(request));
}

/** Responds with a 403 to requests that the lists do not allow, before any other check. */
export function rejectOtherAddresses(app: FastifyInstance, isAllowed: AllowRequest): void {
  app.addHook("onRequest", (request, _reply, done) => {
    done(isAllowed(request.raw) ? undefined : addressNotAllowed());
  });
}
