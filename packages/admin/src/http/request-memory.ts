import type { ServerResponse } from "node:http";
import { Readable, Transform, type TransformCallback, finished } from "node:stream";
import { parse } from "fast-querystring";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { BODY_LIMIT_BYTES, FairShare, SMALL_BODY_BYTES } from "flags-server-kit/neutral";
import { hasBody } from "flags-server-kit/http";

/** Default memory for long bodies. */
const MAX_BYTES = 128 * 1024 * 1024;

interface BodyMemoryOptions {
  /** Creates the 503 error for a request whose body exceeds the share of its key. */
  readonly toError: () => Error;
  /** Returns the key of a request. Requests without a key have one share together. */
  readonly keyOf: (request: FastifyRequest) => string | undefined;
  /** @default 134217728 */
  readonly maxBytes?: number;
  /** Separate memory for bodies of routes that accept more than the default limit. @default they share `maxBytes` */
  readonly maxFileBytes?: number;
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
    const claimedBytes = Math.max(CHUNK_BYTES, -this.#availableBytes);
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

const memories = new WeakMap<FastifyRequest, BodyMemory>();

/** Functions that discard what has not been read of a body. */
const discards = new WeakMap<FastifyRequest, () => void>();

/**
 * Limits the total memory of request bodies until the response. Otherwise a client could send almost all of a body on
 * each of many connections and then wait for the timeout, or many complete ones while each response waits for something
 * slow. Call it before adding routes.
 */
export function limitBodyMemory(
  app: FastifyInstance,
  { toError, keyOf, maxBytes = MAX_BYTES, maxFileBytes = maxBytes }: BodyMemoryOptions,
): void {
  const bodies = new FairShare(maxBytes);
  const files = new FairShare(maxFileBytes);

  app.addHook("preParsing", (request, reply, payload, done) => {
    if (!isBodyRead(request) && hasBody(request)) {
      // NOTE: otherwise, the body would stay in memory as long as its response is open, such as an event stream.
      request.raw.resume();
      done(null, Readable.from([]));
      return;
    }
    if (!hasBody(request) || isSmall(request)) {
      done(null, payload);
      return;
    }
    if (request.raw.socket.destroyed) {
      // NOTE: the response may have been closed already, for example while the key was checked. Nothing would release
      // the memory then.
      done(toError());
      return;
    }
    const share = limitOf(request) > BODY_LIMIT_BYTES ? files : bodies;
    const key = keyOf(request) ?? "";
    const excessBytes = longBytes(request);
    // A body that does not fit is rejected before it arrives, if its length is known.
    if (excessBytes > 0 && !share.canClaim(key, excessBytes)) {
      done(toError());
      return;
    }
    const memory = new BodyMemory(share, key);
    memories.set(request, memory);
    releaseOnClose(reply.raw, memory);
    const merged = mergeChunks(payload, (bytes) => (memory.claim(bytes) ? null : toError()));
    discards.set(request, () => discard(payload, merged));
    done(null, merged);
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    discards.get(request)?.();
    releaseBody(request);
    done(null, payload);
  });
}

/** NOTE: a function of its own, because a closure retains what any other one in the same function uses, such as the body. */
function releaseOnClose(response: ServerResponse, memory: BodyMemory): void {
  response.once("close", () => memory.release());
}

/** Stops counting the body of a request, and releases what read it. */
function releaseBody(request: FastifyRequest): void {
  memories.get(request)?.release();
  discards.delete(request);
}

/** Whether the framework reads the body of a request, if it has one. */
function isBodyRead({ method }: FastifyRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Whether the length of a body is known, and short enough to read it in any case. */
function isSmall({ headers }: FastifyRequest): boolean {
  return Number(headers["content-length"]) <= SMALL_BODY_BYTES;
}

/** By how much the known length of a body exceeds that of a short one. */
function longBytes(request: FastifyRequest): number {
  const length = Number(request.headers["content-length"] ?? 0);
  return Math.max(0, Math.min(length, limitOf(request)) - SMALL_BODY_BYTES);
}

function limitOf({ routeOptions }: FastifyRequest): number {
  return routeOptions.bodyLimit ?? BODY_LIMIT_BYTES;
}

const CHUNK_BYTES = 16 * 1024;

/**
 * Merges short chunks of a body. The framework keeps all chunks until the body is complete, and each takes about 400
 * bytes of memory, however short it is.
 */
function mergeChunks(body: Readable, claim: Claim): Readable {
  const merged = new ChunkMerger(claim);
  const onError = (error: Error): void => void merged.destroy(error);
  // NOTE: the request stays in memory as long as its response is open.
  merged.once("close", () => body.off("error", onError));
  return body.once("error", onError).pipe(merged);
}

/**
 * Discards what a rejected request has not read of its body. It precedes the next request of the connection, so it has to
 * arrive, but it must not be decompressed: a few bytes could become gigabytes.
 */
function discard(body: Readable, merged: Readable): void {
  body.unpipe();
  body.resume();
  merged.destroy();
}

/** Claims memory for a chunk of a body. Returns an error if there is not enough. */
type Claim = (bytes: number) => Error | null;

class ChunkMerger extends Transform {
  readonly #claim: Claim;
  #buffer: Buffer | undefined;
  #length = 0;

  constructor(claim: Claim) {
    super();
    this.#claim = claim;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const error = this.#claim(chunk.length);
    if (error !== null) {
      done(error);
      return;
    }
    if (this.#length + chunk.length > CHUNK_BYTES) this.#pushMerged();
    if (chunk.length >= CHUNK_BYTES) {
      this.push(chunk);
    } else {
      this.#buffer ??= Buffer.allocUnsafe(CHUNK_BYTES);
      this.#length += chunk.copy(this.#buffer, this.#length);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#pushMerged();
    done();
  }

  #pushMerged(): void {
    if (this.#buffer !== undefined) this.push(this.#buffer.subarray(0, this.#length));
    this.#buffer = undefined;
    this.#length = 0;
  }
}

/**
 * Releases what a client can make large as soon as it is not needed. The framework parses a query before the body
 * arrives, and keeps a request until its response is read: a pipelined one, for as long as the responses before it. What
 * was parsed can take 400 times the memory of the compressed body that was sent.
 *
 * Call it before adding other hooks. A handler that reads `request.body` or `request.query` after it has responded finds nothing.
 */
export function releaseRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (hasBody(request)) request.query = {};
    done();
  });
  app.addHook("preValidation", (request, _reply, done) => {
    if (hasBody(request)) request.query = parse(queryOf(request.url));
    done();
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    releaseInput(request);
    done(null, payload);
  });
}

/**
 * Releases all that a request contains but the path of its route. Call it when its response becomes a stream of events,
 * which can stay open for a long time.
 */
export function releaseRequest(request: FastifyRequest): void {
  releaseInput(request);
  releaseBody(request);
  const { raw } = request;
  raw.url = request.routeOptions.url ?? "";
  raw.headers = {};
  raw.rawHeaders = [];
  // NOTE: the trailers of a GET, whose body the framework does not wait for, arrive later.
  finished(raw, () => {
    raw.trailers = {};
    raw.rawTrailers = [];
  });
}

function releaseInput(request: FastifyRequest): void {
  request.body = undefined;
  request.query = {};
}

function queryOf(url: string): string {
  const start = url.indexOf("?") + 1;
  return start === 0 ? "" : url.slice(start);
}
