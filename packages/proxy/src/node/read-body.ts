import type { IncomingMessage, ServerResponse } from "node:http";
import { type Readable, Writable } from "node:stream";
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

/** Default memory for long bodies. */
const MAX_BYTES = 128 * 1024 * 1024;

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

/** What a decompressor needs: a window of 32 KiB and a buffer of 16 KiB for its output, among others. */
const DECOMPRESSOR_BYTES = 64 * 1024;

/** Memory is claimed, and short chunks are merged, in parts of this length. */
const PART_BYTES = 16 * 1024;

/**
 * Reads the bodies of requests, and limits their total memory until the response. Otherwise a client could send almost
 * all of a body on each of many connections and then wait for the timeout, or many complete ones while each response
 * waits for something slow.
 */
export class BodyReader {
  readonly #share: FairShare;
  readonly #memories = new WeakMap<IncomingMessage, BodyMemory>();

  /** @param maxBytes memory for long bodies of all requests; default 128 MiB */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#share = new FairShare(maxBytes);
  }

  /**
   * Reads the body of a request as UTF-8, decompressed. Never settles if the client disconnects first.
   *
   * @throws {HttpError} 413, 415 or 503, immediately or later
   */
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
      return readShort(request, length);
    }
    const memory = this.#claim(request, response, { key: limits.key ?? "", length });
    return isCompressed
      ? readCompressed(request, { coding, length, limits, memory })
      : readInto(new TextSink(limits.limitBytes, memory), request);
  }

  /** Starts to count the memory of a body, until its response. */
  #claim(
    request: IncomingMessage,
    response: ServerResponse,
    { key, length = 0 }: { readonly key: string; readonly length: number | undefined },
  ): BodyMemory {
    // A body that does not fit is rejected before it arrives, if its length is known.
    const excessBytes = length - SMALL_BODY_BYTES;
    if (excessBytes > 0 && !this.#share.canClaim(key, excessBytes)) throw tooManyBodies();
    // NOTE: the response may have been closed already, for example while the key was checked. Nothing would release
    // the memory then.
    if (response.destroyed) throw tooManyBodies();
    const memory = new BodyMemory(this.#share, key);
    this.#memories.set(request, memory);
    releaseOnClose(response, memory);
    return memory;
  }

  /** Stops counting the body of a request, which nothing reads any more. */
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

/**
 * Returns the body of a request that something has read already, such as `express.json()`, which keeps the result in
 * `body`.
 *
 * @throws {TypeError} if it is not there
 */
function parsedBodyOf({ body }: IncomingMessage & { readonly body?: unknown }): string {
  if (typeof body === "string") return body;
  if (Buffer.isBuffer(body)) return body.toString();
  if (typeof body === "object" && body !== null) return JSON.stringify(body);
  throw new TypeError("Something has read the body before the proxy: mount the proxy ahead of it");
}

/**
 * Reads a body that is short enough to be read in any case: the number of connections limits their memory. It usually
 * arrives at once.
 */
function readShort(request: IncomingMessage, length: number): Promise<string> {
  return new Promise((resolve) => {
    request.once("readable", () => {
      const body: unknown = request.readableLength === length ? request.read() : undefined;
      if (Buffer.isBuffer(body)) {
        // NOTE: Node retains the request until its end has been read.
        request.resume();
        resolve(body.toString());
      } else resolve(readInto(new TextSink(length, undefined), request));
    });
  });
}

async function readCompressed(
  request: IncomingMessage,
  { coding, length = 0, limits: { limitBytes }, memory }: CompressedBody,
): Promise<string> {
  const create = DECOMPRESSORS.get(coding);
  if (create === undefined) throw unsupportedCoding();
  // NOTE: without a Content-Length, the compressed length is not known.
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
  return readInto(new TextSink(maxBytes, memory, toError), request, create());
}

interface CompressedBody {
  readonly coding: string;
  /** The compressed length; undefined if it is not known. */
  readonly length: number | undefined;
  readonly limits: BodyLimits;
  readonly memory: BodyMemory;
}

/**
 * Reads a request, through a decompressor if there is one. What a rejected request has not sent yet is discarded: it
 * precedes the next request of the connection.
 */
function readInto(
  sink: TextSink,
  request: IncomingMessage,
  decompressor?: NodeJS.ReadWriteStream,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      request.unpipe();
      request.resume();
      reject(error);
    };
    const source = decompressor === undefined ? request : request.pipe(decompressor);
    decompressor?.once("error", (error: Error) => {
      sink.destroy();
      fail(notDecompressible(error));
    });
    sink.once("error", (error) => {
      (decompressor as Readable | undefined)?.destroy();
      fail(error);
    });
    sink.once("finish", () => resolve(sink.text()));
    source.pipe(sink);
  });
}

/** NOTE: a function of its own, because a closure retains what any other one in the same function uses, such as the body. */
function releaseOnClose(response: ServerResponse, memory: BodyMemory): void {
  response.once("close", () => memory.release());
}

/**
 * The memory that one body has claimed. It claims more as bytes arrive: otherwise a client could claim the memory of its
 * key for the longest bodies without sending them, and block the other clients with the same key.
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

  /** Returns false if the share of the key is exhausted. */
  claim(bytes: number): boolean {
    this.#availableBytes -= bytes;
    if (this.#availableBytes >= 0) return true;
    const claimedBytes = Math.max(PART_BYTES, -this.#availableBytes);
    const release = this.#share.tryClaim(this.#key, claimedBytes);
    if (release === undefined) return false;
    this.#availableBytes += claimedBytes;
    this.#releases.push(release);
    return true;
  }

  /** Releases all memory. What arrives later is discarded, so it needs none. */
  release(): void {
    this.#availableBytes = Number.POSITIVE_INFINITY;
    for (const release of this.#releases) release();
  }
}

/**
 * Collects a text. Short chunks are merged, because each takes about 400 bytes of memory, however short it is.
 */
class TextSink extends Writable {
  readonly #limitBytes: number;
  readonly #memory: BodyMemory | undefined;
  readonly #toError: () => HttpError;
  readonly #parts: Buffer[] = [];
  #buffer: Buffer | undefined;
  #filled = 0;
  #length = 0;

  /**
   * @param memory undefined: the text needs none beyond that of the connection
   * @param toError creates the error for a text that exceeds the limit
   */
  constructor(
    limitBytes: number,
    memory: BodyMemory | undefined,
    toError: () => HttpError = () => bodyTooLarge(limitBytes),
  ) {
    super();
    this.#limitBytes = limitBytes;
    this.#memory = memory;
    this.#toError = toError;
  }

  text(): string {
    this.#endPart();
    return Buffer.concat(this.#parts).toString();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#length += chunk.length;
    if (this.#length > this.#limitBytes) done(this.#toError());
    else if (this.#memory?.claim(chunk.length) === false) done(tooManyBodies());
    else {
      this.#add(chunk);
      done();
    }
  }

  #add(chunk: Buffer): void {
    if (this.#filled + chunk.length > PART_BYTES) this.#endPart();
    if (chunk.length >= PART_BYTES) {
      this.#parts.push(chunk);
      return;
    }
    this.#buffer ??= Buffer.allocUnsafe(PART_BYTES);
    this.#filled += chunk.copy(this.#buffer, this.#filled);
  }

  #endPart(): void {
    if (this.#buffer !== undefined) this.#parts.push(this.#buffer.subarray(0, this.#filled));
    this.#buffer = undefined;
    this.#filled = 0;
  }
}
