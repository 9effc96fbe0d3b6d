import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip } from "node:zlib";
import negotiate from "@fastify/accept-negotiator";
import { GzipAtOnce } from "./gzip-at-once.ts";

/** Compressing less than this costs more than it saves. */
export const COMPRESSION_THRESHOLD_BYTES = 1024;

/** Ways of compressing an answer, the preferred one first. */
export const CODINGS = ["br", "gzip"] as const;

// NOTE: chosen by measurement (bench/README.md): level 3 of gzip takes a tenth longer for next to
// nothing, the other levels that follow take twice as long for a few percent.
export const BROTLI_QUALITY = 3;
export const GZIP_LEVEL = 2;

/** Up to this size it takes less time to compress at once than to have it done elsewhere. */
export const COMPRESS_AT_ONCE_MAX_BYTES: number = 128 * 1024;

/** A way of compressing an answer, as `Content-Encoding` names it. */
export type ContentCoding = (typeof CODINGS)[number];

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Values of the header are few, as kinds of clients are; more than this are not remembered. */
const MAX_REMEMBERED = 100;

/** Chooses codings, and remembers its choices. */
export class CodingChoice {
  readonly #choices = new Map<string, ContentCoding | undefined>();

  /** The coding that an `Accept-Encoding` header asks for; undefined for none. */
  for(acceptEncoding: string): ContentCoding | undefined {
    if (this.#choices.has(acceptEncoding)) return this.#choices.get(acceptEncoding);
    // NOTE: as `@fastify/compress` has it, for whom any coding is gzip, the one that everybody can read.
    const accepted = acceptEncoding.toLowerCase().replaceAll(/\*|x-gzip/g, "gzip");
    const choice = negotiate(accepted, [...CODINGS]) ?? undefined;
    if (this.#choices.size < MAX_REMEMBERED) this.#choices.set(acceptEncoding, choice);
    return choice;
  }
}

const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
const GZIP_OPTIONS = { level: GZIP_LEVEL };
const gzipAtOnce = new GzipAtOnce(GZIP_LEVEL);

/** Compresses on the event loop, which is for small bodies. */
export function compressAtOnce(body: string | Buffer, coding: ContentCoding): Buffer {
  return coding === "br" ? brotliCompressSync(body, BROTLI_OPTIONS) : gzipAtOnce.compress(body);
}

/** Compresses a small body synchronously, a large one off the event loop. */
export function compress(body: string | Buffer, coding: ContentCoding): Buffer | Promise<Buffer> {
  if (body.length <= COMPRESS_AT_ONCE_MAX_BYTES) return compressAtOnce(body, coding);
  return coding === "br" ? brotliAsync(body, BROTLI_OPTIONS) : gzipAsync(body, GZIP_OPTIONS);
}

/** A body that is compressed when that is asked for first, and once for each coding. */
export class CodedBody {
  readonly #body: string | Buffer;
  readonly #coded = new Map<ContentCoding, Buffer | Promise<Buffer>>();

  constructor(body: string | Buffer) {
    this.#body = body;
  }

  in(coding: ContentCoding): Buffer | Promise<Buffer> {
    const coded = this.#coded.get(coding) ?? compress(this.#body, coding);
    this.#coded.set(coding, coded);
    return coded;
  }
}
