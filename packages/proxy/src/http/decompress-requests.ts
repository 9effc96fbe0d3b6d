import { pipeline, type Readable, Transform, type TransformCallback } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { claimBodyMemory, hasBody, isBodyRead, SMALL_BODY_BYTES } from "flags-server-kit/http";
import { codeOf } from "flags-server-kit";
import {
  compressedBodyTooLarge,
  notDecompressible,
  tooManyBodies,
  unsupportedCoding,
} from "../errors.ts";

/**
 * By content coding. NOTE: not Brotli. A decoder decodes as much as fits into its window of up to 16 MiB before its
 * output can be counted, so a request of 14 bytes would take 16 MiB of memory and 30 ms.
 */
const DECOMPRESSORS = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);

/** JSON that clients send is rarely more than ten times as long as its compressed form. */
const MAX_EXPANSION = 20;

/** Whether `decompressRequests()` decompresses the body of a request. */
export function isCompressed(request: FastifyRequest): boolean {
  return codingOf(request) !== "identity" && hasBody(request) && isBodyRead(request);
}

/** Reads compressed request bodies. Call it after `limitBodyMemory()`, and before adding routes. */
export function decompressRequests(app: FastifyInstance): void {
  const bodies = new WeakMap<FastifyRequest, Readable>();
  app.addHook("preParsing", (request, _reply, payload, done) => {
    if (!isCompressed(request)) {
      done(null, payload);
      return;
    }
    const createDecompressor = DECOMPRESSORS.get(codingOf(request));
    if (createDecompressor === undefined) {
      done(unsupportedCoding());
      return;
    }
    // NOTE: without a Content-Length, the compressed length is not known.
    const length = Number(request.headers["content-length"] ?? 0);
    const maxBytes = SMALL_BODY_BYTES + MAX_EXPANSION * length;
    const body = new DecompressedBody(maxBytes, (bytes) => claimBodyMemory(request, bytes));
    payload.on("data", (chunk: Buffer) => {
      body.receivedEncodedLength += chunk.length;
    });
    // The framework gets errors from the body.
    pipeline(payload, createDecompressor(), body, () => {
      // NOTE: the framework retains the body as long as the response is open, and these listeners would retain the
      // decompressor.
      body.removeAllListeners("close");
    });
    bodies.set(request, body);
    done(null, body);
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    bodies.get(request)?.destroy();
    done(null, payload);
  });
}

function codingOf({ headers }: FastifyRequest): string {
  return headers["content-encoding"]?.trim().toLowerCase() || "identity";
}

/** Passes on what has been decompressed until it becomes too long. Otherwise a few bytes could become the largest body. */
class DecompressedBody extends Transform {
  /** How many compressed bytes have been received. The framework compares it with the `Content-Length`. */
  receivedEncodedLength = 0;
  readonly #claim: (bytes: number) => boolean;
  #remainingBytes: number;

  /** @param claim returns false if there is not enough memory for a chunk */
  constructor(maxBytes: number, claim: (bytes: number) => boolean) {
    super();
    this.#claim = claim;
    this.#remainingBytes = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#remainingBytes -= chunk.length;
    if (this.#remainingBytes < 0) done(compressedBodyTooLarge(MAX_EXPANSION));
    else if (!this.#claim(chunk.length)) done(tooManyBodies());
    else done(null, chunk);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(error !== null && codeOf(error).startsWith("Z_") ? notDecompressible(error) : error);
  }
}
