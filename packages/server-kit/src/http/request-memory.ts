import { Readable, Transform, type TransformCallback, finished } from "node:stream";
import { parse } from "fast-querystring";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { FairShare } from "./fair-share.ts";
import { hasBody } from "./pipeline.ts";
import { BODY_LIMIT_BYTES, SMALL_BODY_BYTES } from "./server-defaults.ts";

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

const releases = new WeakMap<FastifyRequest, () => void>();

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
  const discards = new WeakMap<FastifyRequest, () => void>();

  app.addHook("preParsing", (request, reply, payload, done) => {
    if (!isBodyRead(request) && hasBody(request)) {
      // NOTE: otherwise, the body would stay in memory as long as its response is open, such as an event stream.
      request.raw.resume();
      done(null, Readable.from([]));
      return;
    }
    const bytes = bodyBytes(request);
    if (bytes <= SMALL_BODY_BYTES) {
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
    const release = share.tryClaim(keyOf(request) ?? "", bytes);
    if (release === undefined) {
      done(toError());
      return;
    }
    releases.set(request, release);
    reply.raw.once("close", release);
    const merged = mergeChunks(payload);
    discards.set(request, () => discard(payload, merged));
    done(null, merged);
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    discards.get(request)?.();
    releaseBody(request);
    done(null, payload);
  });
}

/** Stops counting the body of a request. */
function releaseBody(request: FastifyRequest): void {
  releases.get(request)?.();
}

/** Whether the framework reads the body of a request, if it has one. */
function isBodyRead({ method }: FastifyRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Returns the maximum memory of a body: its `Content-Length`, or the limit if it is not known. */
function bodyBytes(request: FastifyRequest): number {
  const { headers } = request;
  const { "content-length": length, "transfer-encoding": coding } = headers;
  const limit = limitOf(request);
  if (length === undefined) return coding === undefined ? 0 : limit;
  return headers["content-encoding"] === undefined ? Math.min(Number(length), limit) : limit;
}

function limitOf({ routeOptions }: FastifyRequest): number {
  return routeOptions.bodyLimit ?? BODY_LIMIT_BYTES;
}

const CHUNK_BYTES = 16 * 1024;

/**
 * Merges short chunks of a body. The framework keeps all chunks until the body is complete, and each takes about 400
 * bytes of memory, however short it is.
 */
function mergeChunks(body: Readable): Readable {
  const merged = new ChunkMerger();
  body.once("error", (error) => merged.destroy(error));
  return body.pipe(merged);
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

class ChunkMerger extends Transform {
  #buffer: Buffer | undefined;
  #length = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
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
