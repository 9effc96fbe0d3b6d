import { pipeline, type Readable, Transform, type TransformCallback } from "node:stream";
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from "fastify";
import {
  BROTLI_QUALITY,
  claimBodyMemory,
  CODINGS,
  COMPRESSION_THRESHOLD_BYTES,
  GZIP_LEVEL,
  hasBody,
  SMALL_BODY_BYTES,
} from "flags-server-kit/http";
import { compressedBodyTooLarge, tooManyBodies } from "../errors.ts";

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
    // NOTE: not Brotli. A decoder decodes as much as fits into its window of up to 16 MiB before its output can be
    // counted, so a request of 14 bytes would take 16 MiB of memory and 30 ms.
    requestEncodings: ["gzip", "deflate", "identity"],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    zlibOptions: { level: GZIP_LEVEL },
  });
  limitDecompression(app);
}

/** Whether `registerCompression()` decompresses the body of a request. */
export function isCompressed({ headers }: FastifyRequest): boolean {
  const coding = headers["content-encoding"];
  return Boolean(coding) && coding !== "identity";
}

/** JSON that clients send is rarely more than ten times as long as its compressed form. */
const MAX_EXPANSION = 20;

/** Stops decompressing a body when it becomes too long, or when its request is rejected. */
function limitDecompression(app: FastifyInstance): void {
  const bodies = new WeakMap<FastifyRequest, Readable>();
  // NOTE: a hook of each route, like the hook of the library, so that it receives what that one returns.
  app.addHook("onRoute", (route) => {
    route.preParsing = [route.preParsing ?? [], limit].flat();
  });
  const limit: preParsingHookHandler = (request, _reply, payload, done) => {
    if (!isCompressed(request)) {
      done(null, payload);
      return;
    }
    // NOTE: without a Content-Length, the compressed length is not known.
    const length = Number(request.headers["content-length"] ?? 0);
    const maxBytes = SMALL_BODY_BYTES + MAX_EXPANSION * length;
    const body = new LimitedBody(payload as DecompressedBody, maxBytes, (bytes) =>
      claimBodyMemory(request, bytes),
    );
    bodies.set(request, body);
    done(null, body);
  };
  app.addHook("onSend", (request, _reply, payload, done) => {
    bodies.get(request)?.destroy();
    done(null, payload);
  });
}

interface DecompressedBody extends Readable {
  /** How many compressed bytes have been received. The framework compares it with the `Content-Length`. */
  readonly receivedEncodedLength: number;
}

/** Passes on a decompressed body until it becomes too long. Otherwise a few bytes could become the largest body. */
class LimitedBody extends Transform implements DecompressedBody {
  readonly #body: DecompressedBody;
  readonly #claim: (bytes: number) => boolean;
  #remainingBytes: number;

  /** @param claim returns false if there is not enough memory for a chunk */
  constructor(body: DecompressedBody, maxBytes: number, claim: (bytes: number) => boolean) {
    super();
    this.#body = body;
    this.#claim = claim;
    this.#remainingBytes = maxBytes;
    pipeline(body, this, () => {
      // The framework gets errors from this stream.
    });
  }

  get receivedEncodedLength(): number {
    return this.#body.receivedEncodedLength;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#remainingBytes -= chunk.length;
    if (this.#remainingBytes < 0) done(compressedBodyTooLarge(MAX_EXPANSION));
    else if (!this.#claim(chunk.length)) done(tooManyBodies());
    else done(null, chunk);
  }
}
