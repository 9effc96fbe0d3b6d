import type { FastifyInstance } from "fastify";
import { chooseCoding, CodedBody, COMPRESSION_THRESHOLD_BYTES } from "flags-server-kit/http";

/**
 * Compresses text of at least 1 KiB if the client accepts that, except long text while 16 MiB of other responses
 * are waiting. Buffers and streams are sent as they are.
 *
 * NOTE: no compressed response contains a secret together with text that somebody else has chosen, which would let
 * them guess the secret from the length: responses with secrets are smaller, and are sent once.
 */
export function compressResponses(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload: unknown) => {
    if (typeof payload !== "string" || payload.length < COMPRESSION_THRESHOLD_BYTES) return payload;
    const vary = String(reply.getHeader("vary") ?? "");
    if (!vary.includes("accept-encoding")) {
      reply.header("vary", vary === "" ? "accept-encoding" : `${vary}, accept-encoding`);
    }
    const coding = chooseCoding(request.headers);
    const coded = coding && new CodedBody(payload).tryCompress(coding);
    if (coded === undefined) return payload;
    // NOTE: a strong tag promises the same bytes, which differ between codings.
    const entityTag = reply.getHeader("etag");
    if (typeof entityTag === "string" && !entityTag.startsWith("W/")) {
      reply.header("etag", `W/${entityTag}`);
    }
    reply.header("content-encoding", coding);
    return coded;
  });
}
