import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance } from "fastify";
import {
  BROTLI_QUALITY,
  CODINGS,
  COMPRESSION_THRESHOLD_BYTES,
  GZIP_LEVEL,
} from "flags-server-kit/http";

/**
 * Compresses responses for clients that accept it, except those with flags: they are compressed already
 * when the framework gets them (`response/prepare-response.ts`). Reads compressed request bodies.
 */
export async function registerCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    threshold: COMPRESSION_THRESHOLD_BYTES,
    encodings: [...CODINGS],
    requestEncodings: ["br", "gzip", "deflate", "identity"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    zlibOptions: { level: GZIP_LEVEL },
  });
}
