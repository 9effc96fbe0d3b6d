import type { FastifyReply } from "fastify";

/** Alternating header names and values, as `writeHead()` accepts them. */
export type RawHeaders = readonly string[];

/** Sets headers of a response that the framework sends. */
export function setHeaders(reply: FastifyReply, headers: RawHeaders): void {
  for (let index = 0; index < headers.length; index += 2) {
    reply.header(headers[index] ?? "", headers[index + 1]);
  }
}
