import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { hasBody } from "flags-server-kit/http";
import { FairShare, SMALL_BODY_BYTES } from "flags-server-kit/neutral";
import {
  bodyTooLarge,
  CLOSING,
  HttpError,
  notDecompressible,
  unavailable,
  unsupportedCoding,
} from "../core/http/errors.ts";
import type { BodyLimits } from "../core/http/request.ts";

const MAX_BYTES = 128 * 1024 * 1024;

/** NOTE: not Brotli. A decoder fills its window of up to 16 MiB before its output can be counted. */
const DECOMPRESSORS = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);

/** JSON that clients send is rarely more than ten times as long as its compressed form. */
const MAX_EXPANSION = 20;

/** Node takes as long for a chunk, however short it is, as for about this many bytes. */
const BYTES_PER_CHUNK = 64;
/** The number of chunks that may be shorter on average. */
const MAX_SHORT_CHUNKS = 1000;

const DECOMPRESSOR_BYTES = 64 * 1024;

/** Memory for the first part of a body. It is doubled when it is full. */
const FIRST_BYTES = 16 * 1024;

/**
 * Reads the bodies of requests, and limits their total memory until the response: a client could send almost
 * all of a body on each of many connections, or complete ones while each response waits for something slow.
 */
export class BodyReader {
  readonly #share: FairShare;
  readonly #memories = new WeakMap<IncomingMessage, BodyMemory>();

  constructor(maxBytes: number = MAX_BYTES) {
    this.#share = new FairShare(maxBytes);
  }

  /** Reads the body of a request as UTF-8, decompressed. Never settles if the client disconnects first. */
  read(
    request: IncomingMessage,
    response: ServerResponse,
    limits: BodyLimits,
  ): string | Promise<string> {
    if (!hasBody(request)) return "";
    if (request.readableEnded) return parsedBodyOf(request);
    const { "content-length": lengthText, "content-encoding": codingText = "" } = request.headers;
    const length = lengthText === undefined ? undefined : Number(lengthText);
    if (length !== undefined && length > limits.limitBytes) throw bodyTooLarge(limits.limitBytes);
    const coding = codingText.trim().toLowerCase();
    const isCompressed = coding !== "" && coding !== "identity";
    if (!isCompressed && length !== undefined && length <= SMALL_BODY_BYTES) {
      return collect(request, { maxBytes: length });
    }
    const memory = this.#claim(request, response, { key: limits.key ?? "", length });
    return isCompressed
      ? readCompressed(request, { coding, length, limits, memory })
      : collect(request, { maxBytes: limits.limitBytes, memory });
  }

  #claim(
    request: IncomingMessage,
    response: ServerResponse,
    { key, length = 0 }: { readonly key: string; readonly length: number | undefined },
  ): BodyMemory {
    // A body that does not fit is rejected before it arrives, if its length is known.
    const excessBytes = length - SMALL_BODY_BYTES;
    if (excessBytes > 0 && !this.#share.canClaim(key, excessBytes)) throw tooManyBodies();
    // NOTE: nothing would release the memory if the response has been closed already, while the key was checked.
    if (response.destroyed) throw tooManyBodies();
    const memory = new BodyMemory(this.#share, key);
    this.#memories.set(request, memory);
    releaseOnClose(response, memory);
    return memory;
  }

  release(request: IncomingMessage): void {
    this.#memories.get(request)?.release();
  }
}

function tooManyBodies(): HttpError {
  return unavailable(
    "Too many long request bodies are being handled at the moment: try again in a second. Bodies of up to " +
      `${SMALL_BODY_BYTES / 1024} KiB are always read if they are not compressed`,
  );
}

function tooManyChunks(): HttpError {
  return new HttpError(
    413,
    "The body has too many short chunks: send it with a `Content-Length`, or in longer chunks",
    { headers: CLOSING },
  );
}

/** Returns the body that something else has read, such as `express.json()`, which keeps the result in `body`. */
function parsedBodyOf({ body }: IncomingMessage & { readonly body?: unknown }): string {
  if (typeof body === "string") return body;
  if (Buffer.isBuffer(body)) return body.toString();
  if (typeof body === "object" && body !== null) return JSON.stringify(body);
  throw new TypeError("Something has read the body before the proxy: mount the proxy ahead of it");
}

async function readCompressed(
  request: IncomingMessage,
  { coding, length = 0, limits: { limitBytes }, memory }: CompressedBody,
): Promise<string> {
  const create = DECOMPRESSORS.get(coding);
  if (create === undefined) throw unsupportedCoding();
  const maxBytes = Math.min(SMALL_BODY_BYTES + MAX_EXPANSION * length, limitBytes);
  const toError = (): HttpError =>
    maxBytes === limitBytes
      ? bodyTooLarge(limitBytes)
      : new HttpError(
          413,
          `The compressed body is too large: decompressed, it may be at most ${MAX_EXPANSION} times as long as its \`Content-Length\`, plus ${SMALL_BODY_BYTES / 1024} KiB. Send it uncompressed`,
          { headers: CLOSING },
        );
  // The decompressor is created when a part of the body has arrived.
  if (request.readableLength === 0) {
    await new Promise<void>((resolve) => void request.once("readable", resolve));
  }
  if (!memory.claim(DECOMPRESSOR_BYTES)) throw tooManyBodies();
  return collect(request, { maxBytes, memory, toError, decompressor: create() });
}

interface CompressedBody {
  readonly coding: string;
  /** The compressed length, if there is a `Content-Length`. */
  readonly length: number | undefined;
  readonly limits: BodyLimits;
  readonly memory: BodyMemory;
}

interface Collection {
  readonly maxBytes: number;
  /** @default the text needs none beyond that of the connection */
  readonly memory?: BodyMemory;
  /** Creates the error for a text that is longer. @default the limit of the route is exceeded */
  readonly toError?: () => HttpError;
  readonly decompressor?: Transform;
}

/**
 * Reads a request as text, through a decompressor if there is one. What a rejected request has not sent yet is discarded:
 * it precedes the next request of the connection.
 *
 * NOTE: chunks are copied together, because each takes about 400 bytes of memory, however short it is.
 */
function collect(
  request: IncomingMessage,
  { maxBytes, memory, toError = () => bodyTooLarge(maxBytes), decompressor }: Collection,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const source = decompressor === undefined ? request : request.pipe(decompressor);
    let bytes = Buffer.allocUnsafe(Math.min(FIRST_BYTES, maxBytes));
    let length = 0;
    const fail = (error: HttpError): void => {
      source.off("data", add);
      request.off("data", countChunk);
      request.unpipe();
      decompressor?.destroy();
      request.resume();
      reject(error);
    };
    const add = (chunk: Buffer): void => {
      const end = length + chunk.length;
      if (end > maxBytes) {
        fail(toError());
        return;
      }
      if (end > bytes.length) {
        const size = Math.min(Math.max(end, 2 * bytes.length), maxBytes);
        if (memory?.claim(size - bytes.length) === false) {
          fail(tooManyBodies());
          return;
        }
        bytes = Buffer.concat([bytes], size);
      }
      chunk.copy(bytes, length);
      length = end;
    };
    let chunks = 0;
    let receivedBytes = 0;
    const countChunk = (chunk: Buffer): void => {
      chunks += 1;
      receivedBytes += chunk.length;
      if (chunks > MAX_SHORT_CHUNKS + receivedBytes / BYTES_PER_CHUNK) fail(tooManyChunks());
    };
    if ("transfer-encoding" in request.headers) request.on("data", countChunk);
    source.on("data", add);
    source.once("end", () => {
      source.off("data", add);
      resolve(bytes.toString("utf8", 0, length));
    });
    decompressor?.once("error", (error: Error) => fail(notDecompressible(error)));
  });
}

/** NOTE: a function of its own, because a closure retains what others in the same function use, such as the body. */
function releaseOnClose(response: ServerResponse, memory: BodyMemory): void {
  response.once("close", () => memory.release());
}

/**
 * The memory that one body has claimed. It claims more as bytes arrive: a client could claim the memory of its
 * key without sending anything, and block others with the same key.
 */
class BodyMemory {
  readonly #share: FairShare;
  readonly #key: string;
  readonly #releases: (() => void)[] = [];
  #availableBytes = SMALL_BODY_BYTES;

  constructor(share: FairShare, key: string) {
    this.#share = share;
    this.#key = key;
  }

  claim(bytes: number): boolean {
    this.#availableBytes -= bytes;
    if (this.#availableBytes >= 0) return true;
    const release = this.#share.tryClaim(this.#key, -this.#availableBytes);
    if (release === undefined) return false;
    this.#availableBytes = 0;
    this.#releases.push(release);
    return true;
  }

  /** Releases all memory. What arrives later is discarded. */
  release(): void {
    this.#availableBytes = Number.POSITIVE_INFINITY;
    for (const release of this.#releases) release();
  }
}
