import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib";
import negotiate from "@fastify/accept-negotiator";

/** Compressing less than this costs more than it saves. */
export const COMPRESSION_THRESHOLD_BYTES = 1024;

/** The preferred one first. */
const CODINGS = ["br", "gzip"] as const;

export type ContentCoding = (typeof CODINGS)[number];

// NOTE: low on purpose. The text is repetitive: higher levels take much longer and make it only a little smaller.
const BROTLI_QUALITY = 3;
export const GZIP_LEVEL = 2;

/** Up to this size, compressing synchronously takes less time than using the thread pool. */
const SYNC_MAX_BYTES: number = 128 * 1024;

/** Memory for large bodies that wait for the thread pool: clients may request them faster than they are compressed. */
const MAX_WAITING_BYTES: number = 16 * 1024 * 1024;

export function chooseCoding({
  "accept-encoding": acceptEncoding,
  "x-no-compression": optOut,
}: IncomingHttpHeaders): ContentCoding | undefined {
  if (typeof acceptEncoding !== "string" || optOut !== undefined) return undefined;
  // NOTE: `*` means gzip, since every client can read gzip.
  const accepted = acceptEncoding.toLowerCase().replaceAll(/\*|x-gzip/g, "gzip");
  return negotiate(accepted, [...CODINGS]) ?? undefined;
}

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
const GZIP_OPTIONS = { level: GZIP_LEVEL };

let waitingBytes = 0;

function compressBody(body: Buffer, coding: ContentCoding): Buffer | Promise<Buffer> {
  if (body.length > SYNC_MAX_BYTES) return compressInPool(body, coding);
  return copyFromChunk(
    coding === "br" ? brotliCompressSync(body, BROTLI_OPTIONS) : gzipSync(body, GZIP_OPTIONS),
  );
}

/** Copies what zlib has written: short bytes are part of a chunk, which would stay in memory as long as they do. */
function copyFromChunk(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

async function compressInPool(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  waitingBytes += body.length;
  try {
    return copyFromChunk(
      await (coding === "br" ? brotliAsync(body, BROTLI_OPTIONS) : gzipAsync(body, GZIP_OPTIONS)),
    );
  } finally {
    waitingBytes -= body.length;
  }
}

export class CodedBody {
  readonly #body: string | Buffer;
  readonly #encoding: "utf8" | "latin1";
  readonly #coded = new Map<ContentCoding, Buffer | Promise<Buffer>>();

  constructor(body: string | Buffer, encoding: "utf8" | "latin1" = "utf8") {
    this.#body = body;
    this.#encoding = encoding;
  }

  /** Returns the compressed bytes, unless they would have to wait behind too many other bodies. */
  tryCompress(coding: ContentCoding): Buffer | Promise<Buffer> | undefined {
    const waits = this.#body.length > SYNC_MAX_BYTES && waitingBytes > MAX_WAITING_BYTES;
    return waits ? this.#coded.get(coding) : this.compress(coding);
  }

  compress(coding: ContentCoding): Buffer | Promise<Buffer> {
    const known = this.#coded.get(coding);
    if (known !== undefined) return known;
    const body = this.#body;
    const bytes = typeof body === "string" ? Buffer.from(body, this.#encoding) : body;
    const coded = compressBody(bytes, coding);
    this.#coded.set(coding, coded);
    // A failure, such as a lack of memory, may be temporary: the next call compresses again.
    if (coded instanceof Promise) coded.catch(() => this.#coded.delete(coding));
    return coded;
  }
}
