import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib";
import negotiate from "@fastify/accept-negotiator";
import { LRUCache } from "lru-cache";

/** Compressing less than this costs more than it saves. */
export const COMPRESSION_THRESHOLD_BYTES = 1024;

/** The supported content codings, the preferred one first. */
const CODINGS = ["br", "gzip"] as const;

/** A content coding, as `Content-Encoding` names it. */
export type ContentCoding = (typeof CODINGS)[number];

// NOTE: low levels on purpose. Bodies are compressed per request, and their text is repetitive: higher levels
// take much longer and make them only a little smaller.
const BROTLI_QUALITY = 3;
export const GZIP_LEVEL = 2;

/** Up to this size, compressing synchronously takes less time than using the thread pool. */
const SYNC_MAX_BYTES: number = 128 * 1024;

/**
 * Memory for large bodies that wait for the thread pool. NOTE: clients may request them faster than they are compressed,
 * and disconnect.
 */
const MAX_WAITING_BYTES: number = 16 * 1024 * 1024;

/** How many `Accept-Encoding` values are cached. There are only a few, one per type of client. */
const MAX_CACHED_CHOICES = 100;

/** Returns the preferred one of some content codings that an `Accept-Encoding` header accepts. */
export type Negotiate = (accepted: string, codings: ContentCoding[]) => ContentCoding | null;

/** Chooses content codings, and caches the choices. */
export class CodingChoice {
  readonly #choices = new LRUCache<string, { readonly coding: ContentCoding | undefined }>({
    max: MAX_CACHED_CHOICES,
  });
  readonly #negotiate: Negotiate;

  constructor(negotiateCoding: Negotiate = negotiate) {
    this.#negotiate = negotiateCoding;
  }

  /** Returns the preferred coding that the headers of a request accept; undefined if none. */
  choose({
    "accept-encoding": acceptEncoding,
    "x-no-compression": optOut,
  }: IncomingHttpHeaders): ContentCoding | undefined {
    if (typeof acceptEncoding !== "string" || optOut !== undefined) return undefined;
    const known = this.#choices.get(acceptEncoding);
    if (known !== undefined) return known.coding;
    // NOTE: `*` means gzip, since every client can read gzip.
    const accepted = acceptEncoding.toLowerCase().replaceAll(/\*|x-gzip/g, "gzip");
    const coding = this.#negotiate(accepted, [...CODINGS]) ?? undefined;
    this.#choices.set(acceptEncoding, { coding });
    return coding;
  }
}

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/**
 * What zlib allocates at a time for the output of short bodies. NOTE: V8 releases this memory only when it collects
 * garbage. With the default of 16 KiB, it adds up to several MiB.
 */
const SYNC_CHUNK_BYTES = 4096;
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
const GZIP_OPTIONS = { level: GZIP_LEVEL };
const SYNC_BROTLI_OPTIONS = { ...BROTLI_OPTIONS, chunkSize: SYNC_CHUNK_BYTES };
const SYNC_GZIP_OPTIONS = { ...GZIP_OPTIONS, chunkSize: SYNC_CHUNK_BYTES };

let waitingBytes = 0;

/** Compresses a body of up to 128 KiB synchronously, a larger one in the thread pool. */
function compressBody(body: string | Buffer, coding: ContentCoding): Buffer | Promise<Buffer> {
  if (body.length > SYNC_MAX_BYTES) return compressInPool(body, coding);
  return copyFromChunk(
    coding === "br"
      ? brotliCompressSync(body, SYNC_BROTLI_OPTIONS)
      : gzipSync(body, SYNC_GZIP_OPTIONS),
  );
}

/** Copies what zlib has written. Short bytes are part of a chunk, which would stay in memory as long as they do. */
function copyFromChunk(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

async function compressInPool(body: string | Buffer, coding: ContentCoding): Promise<Buffer> {
  waitingBytes += body.length;
  try {
    return copyFromChunk(
      await (coding === "br" ? brotliAsync(body, BROTLI_OPTIONS) : gzipAsync(body, GZIP_OPTIONS)),
    );
  } finally {
    waitingBytes -= body.length;
  }
}

/** Where binary strings are encoded. Allocated at first use, since not every process compresses. */
let encoded: Buffer | undefined;

/**
 * Returns the bytes of a body. Those of a binary string are valid until the next call, which is enough to compress
 * them synchronously: a buffer for each would be memory that V8 releases only when its own heap is full.
 */
function encode(body: string | Buffer, encoding: "utf8" | "latin1"): Buffer {
  if (typeof body !== "string") return body;
  if (encoding !== "latin1" || body.length > SYNC_MAX_BYTES) return Buffer.from(body, encoding);
  encoded ??= Buffer.allocUnsafeSlow(SYNC_MAX_BYTES);
  return encoded.subarray(0, encoded.write(body, encoding));
}

/** A body that is compressed on first use, once per coding. */
export class CodedBody {
  readonly #body: string | Buffer;
  readonly #encoding: "utf8" | "latin1";
  readonly #coded = new Map<ContentCoding, Buffer | Promise<Buffer>>();

  /** @param encoding of a body that is a string */
  constructor(body: string | Buffer, encoding: "utf8" | "latin1" = "utf8") {
    this.#body = body;
    this.#encoding = encoding;
  }

  /** Returns the compressed bytes, unless they would have to wait behind too many other bodies. */
  tryCompress(coding: ContentCoding): Buffer | Promise<Buffer> | undefined {
    const waits = this.#body.length > SYNC_MAX_BYTES && waitingBytes > MAX_WAITING_BYTES;
    return waits ? this.#coded.get(coding) : this.compress(coding);
  }

  /** Returns the compressed bytes. */
  compress(coding: ContentCoding): Buffer | Promise<Buffer> {
    const known = this.#coded.get(coding);
    if (known !== undefined) return known;
    const coded = compressBody(encode(this.#body, this.#encoding), coding);
    this.#coded.set(coding, coded);
    // A failure, such as a lack of memory, may be temporary: the next call compresses again.
    if (coded instanceof Promise) coded.catch(() => this.#coded.delete(coding));
    return coded;
  }
}
