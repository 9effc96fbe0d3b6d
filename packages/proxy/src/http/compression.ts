import type { Readable } from "node:stream";
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from "fastify";
import {
  BROTLI_QUALITY,
  CODINGS,
  COMPRESSION_THRESHOLD_BYTES,
  GZIP_LEVEL,
  hasBody,
} from "flags-server-kit/http";

/**
 * Compresses responses for clients that accept it, except those with flags: they are compressed already
 * when the framework gets them (`response/prepare-response.ts`). Reads compressed request bodies.
 */
export async function registerCompression(app: FastifyInstance): Promise<void> {
  // The library would reject an unknown coding even of a body that does not exist.
  app.addHook("onRequest", (request, _reply, done) => {
    if (!hasBody(request)) delete request.headers["content-encoding"];
    done();
  });
  await app.register(compress, {
    threshold: COMPRESSION_THRESHOLD_BYTES,
    encodings: [...CODINGS],
    requestEncodings: ["br", "gzip", "deflate", "identity"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    zlibOptions: { level: GZIP_LEVEL },
  });
  stopDecompressing(app);
}

/** Stops decompressing bodies when their requests are rejected: a few bytes could become gigabytes. */
function stopDecompressing(app: FastifyInstance): void {
  const bodies = new WeakMap<FastifyRequest, Readable>();
  // NOTE: a hook of each route, as that of the library, so that it gets what the library returns.
  app.addHook("onRoute", (route) => {
    route.preParsing = [route.preParsing ?? [], rememberBody].flat();
  });
  const rememberBody: preParsingHookHandler = (request, _reply, payload, done) => {
    // NOTE: without a body or a coding, this is the request itself. Destroying that closes its connection.
    if (hasBody(request) && request.headers["content-encoding"] !== undefined) {
      bodies.set(request, payload);
    }
    done(null, payload);
  };
  app.addHook("onSend", (request, _reply, payload, done) => {
    bodies.get(request)?.destroy();
    done(null, payload);
  });
}
