import compress from "@fastify/compress";
import type { FastifyInstance } from "fastify";

/** Compressing less than this costs more than it saves. */
const THRESHOLD_BYTES = 1024;

/** Compresses answers for those who accept it, and reads compressed bodies. */
export async function registerCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    threshold: THRESHOLD_BYTES,
    encodings: ["br", "gzip"],
    requestEncodings: ["br", "gzip", "deflate", "identity"],
  });
}
