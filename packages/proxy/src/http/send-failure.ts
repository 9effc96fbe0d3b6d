import type { FastifyReply, FastifyRequest } from "fastify";
import { toOfrepFailure } from "../api/ofrep/failure.ts";
import type { HttpError } from "../errors.ts";
import { canonicalPath } from "./canonical-path.ts";

/** Answers a request with a failure. Every answer that is not a success goes through here. */
export type SendFailure = (reply: FastifyReply, failure: HttpError) => FastifyReply;

const EXPOSED_HEADERS = "access-control-expose-headers";

/**
 * Makes what sends failures, each in the shape of the protocol whose path was asked. Paths decide,
 * since there are failures that no route was found for.
 */
export function createFailureSender(basePath: string): SendFailure {
  const ofrepPath = `${basePath}/ofrep/`;
  return (reply, failure) => {
    const { request } = reply;
    const isOfrep = canonicalPath(request.url).startsWith(ofrepPath);
    reply
      .code(failure.statusCode)
      .removeHeader("etag")
      .headers({ "cache-control": "no-store", ...failure.headers });
    exposeRetryAfter(reply);
    return reply
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(isOfrep ? toOfrepFailure(failure, keyOf(request)) : failure.toBody()));
  };
}

/** Lets scripts of other origins see how long to wait, like the headers of a success. */
function exposeRetryAfter(reply: FastifyReply): void {
  const exposed = reply.getHeader(EXPOSED_HEADERS);
  if (typeof exposed !== "string" || !reply.hasHeader("retry-after")) return;
  if (/(?:^|,)\s*(?:retry-after|\*)\s*(?:,|$)/i.test(exposed)) return;
  reply.header(EXPOSED_HEADERS, exposed === "" ? "Retry-After" : `${exposed}, Retry-After`);
}

/** NOTE: where no route was found, the framework takes the path itself for a parameter. */
function keyOf({ params, is404 }: FastifyRequest): string | undefined {
  if (is404) return undefined;
  const { key, "*": rest } = (params ?? {}) as { readonly key?: string; readonly "*"?: string };
  return key ?? rest;
}
