import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import negotiate from "@fastify/accept-negotiator";
import { BROTLI_QUALITY, CODINGS, GZIP_LEVEL } from "../http/compression.ts";

export type ContentCoding = (typeof CODINGS)[number];

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Values of the header are few, as kinds of clients are; more than this are not remembered. */
const MAX_REMEMBERED = 100;

/** Chooses codings as the compression of all other routes does, and remembers its choices. */
export class CodingChoice {
  readonly #choices = new Map<string, ContentCoding | undefined>();

  /** The coding that an `Accept-Encoding` header asks for; undefined for none. */
  for(acceptEncoding: string): ContentCoding | undefined {
    if (this.#choices.has(acceptEncoding)) return this.#choices.get(acceptEncoding);
    // NOTE: as the plugin has it, for whom any coding is gzip, the one that everybody can read.
    const accepted = acceptEncoding.toLowerCase().replaceAll(/\*|x-gzip/g, "gzip");
    const choice = negotiate(accepted, [...CODINGS]) ?? undefined;
    if (this.#choices.size < MAX_REMEMBERED) this.#choices.set(acceptEncoding, choice);
    return choice;
  }
}

/** Compresses a body off the event loop. */
export function compress(body: string, coding: ContentCoding): Promise<Buffer> {
  return coding === "br"
    ? brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    : gzipAsync(body, { level: GZIP_LEVEL });
}
