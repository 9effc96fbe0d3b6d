import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import negotiate from "@fastify/accept-negotiator";

/** Compressing less than this costs more than it saves. */
export const COMPRESSION_THRESHOLD_BYTES = 1024;

/** Ways of compressing an answer, the preferred one first. */
export const CODINGS = ["br", "gzip"] as const;

export const BROTLI_QUALITY = 4;
export const GZIP_LEVEL = 6;

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

/** Compresses off the event loop. */
function compress(body: string | Buffer, coding: ContentCoding): Promise<Buffer> {
  return coding === "br"
    ? brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    : gzipAsync(body, { level: GZIP_LEVEL });
}

/** A body that is compressed when that is asked for first, and once for each coding. */
export class CodedBody {
  readonly #body: string | Buffer;
  readonly #coded = new Map<ContentCoding, Promise<Buffer>>();

  constructor(body: string | Buffer) {
    this.#body = body;
  }

  in(coding: ContentCoding): Promise<Buffer> {
    const coded = this.#coded.get(coding) ?? compress(this.#body, coding);
    this.#coded.set(coding, coded);
    return coded;
  }
}
