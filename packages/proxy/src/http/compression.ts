import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance } from "fastify";

/** Compressing less than this costs more than it saves. */
export const THRESHOLD_BYTES = 1024;

/** Ways of compressing an answer, the preferred one first. */
export const CODINGS = ["br", "gzip"] as const;

export const BROTLI_QUALITY = 4;
export const GZIP_LEVEL = 6;

/** Compresses answers for those who accept it, and reads compressed bodies. */
export async function registerCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    threshold: THRESHOLD_BYTES,
    encodings: [...CODINGS],
    requestEncodings: ["br", "gzip", "deflate", "identity"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    zlibOptions: { level: GZIP_LEVEL },
  });
}
