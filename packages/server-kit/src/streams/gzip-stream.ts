import { constants, crc32, deflateRawSync } from "node:zlib";
import { GZIP_LEVEL } from "../http/compression.ts";

/** The header of a gzip file without name and time, as RFC 1952 defines it. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** The last block, which is empty. */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

const OPTIONS = { level: GZIP_LEVEL, finishFlush: constants.Z_SYNC_FLUSH };

/**
 * The compressed form of bytes that many streams send. NOTE: every part ends at a byte boundary, so parts can be concatenated
 * to a valid gzip stream. A compressor per stream would need 256 KiB each, and compress the same event again.
 */
const parts = new WeakMap<Uint8Array, Buffer>();

function compressPart(bytes: Uint8Array): Buffer {
  const part = parts.get(bytes) ?? deflateRawSync(bytes, OPTIONS);
  parts.set(bytes, part);
  return part;
}

export class GzipStream {
  #checksum = 0;
  #bytes = 0;

  start(): Buffer {
    return HEADER;
  }

  compress(text: string | Uint8Array): Buffer {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    // NOTE: of no bytes, Node computes 0.
    if (bytes.length > 0) this.#checksum = crc32(bytes, this.#checksum);
    this.#bytes += bytes.length;
    return compressPart(bytes);
  }

  end(): Buffer {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#checksum, 0);
    // The format counts modulo 2^32.
    trailer.writeUInt32LE(this.#bytes % 2 ** 32, 4);
    return Buffer.concat([LAST_BLOCK, trailer]);
  }
}
