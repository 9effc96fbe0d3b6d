import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "flags-server-kit/neutral";

interface Representation {
  /**
   * Its form depends on what uses it. Results, and definitions of the proxy, have a weak hash of the content,
   * which their compressed forms share. Definitions of the service have the form of Unleash, because the
   * document repeats it. Deltas have the id of their last event, with which streams also continue.
   */
  readonly entityTag: string;
  readonly contentType: string;
  /** Returns the response body. Called only if the client does not have it yet. */
  body(): string | Buffer;
}

/** Sends a representation, or a 304 without building the body if the client has it already. */
export function sendConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
): FastifyReply {
  reply.header("etag", representation.entityTag);
  // NOTE: `Cache-Control: no-cache` of the request is ignored on purpose. Browsers add it to every
  // request whose If-None-Match was set by a script, which is how all clients poll.
  if (matchesEntityTag(request.headers["if-none-match"], representation.entityTag)) {
    return reply.code(304).send();
  }
  return reply.type(representation.contentType).send(representation.body());
}
