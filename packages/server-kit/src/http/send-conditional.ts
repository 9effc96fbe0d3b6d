import type { FastifyReply, FastifyRequest } from "fastify";
import { isNamedBy } from "./entity-tag.ts";

/** What clients are told to send a request again with, and what a 304 confirms. */
interface Representation {
  readonly entityTag: string;
  readonly contentType: string;
  /** Called only when the caller does not have this representation yet. */
  body(): string | Buffer;
}

/** Sends a representation, or a 304 without building it when the caller has it already. */
export function sendConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
): FastifyReply {
  reply.header("etag", representation.entityTag);
  // NOTE: the request's own `Cache-Control: no-cache` is ignored on purpose. Browsers add it to
  // every request whose If-None-Match was set by a script, which is how all clients poll.
  if (isNamedBy(request.headers["if-none-match"], representation.entityTag)) {
    return reply.code(304).send();
  }
  return reply.type(representation.contentType).send(representation.body());
}
