import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Whether an `If-None-Match` header matches an entity tag. Tags are compared weakly, so that a tag
 * matches after a gateway has made it weak or removed its quotes. Lists and `*` are supported.
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, entityTag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch === "") return false;
  if (ifNoneMatch === entityTag || ifNoneMatch.trim() === "*") return true;

  const wanted = opaquePart(entityTag);
  return ifNoneMatch.split(",").some((candidate) => opaquePart(candidate) === wanted);
}

/** NOTE: splitting at commas is safe as long as our own tags contain none. */
function opaquePart(entityTag: string): string {
  const tag = entityTag.trim().replace(/^W\//i, "");
  return tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;
}

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
