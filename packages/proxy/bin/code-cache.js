// The file that compiled code is kept in: a checksum, then the code.

import { crc32 } from "node:zlib";

const CHECKSUM_BYTES = 4;

export function packCode(code, source) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(computeChecksum(code, source));
  return Buffer.concat([checksum, code]);
}

/** Undefined unless it is code that this very Node made of this very source, and whole. */
export function unpackCode(packed, source) {
  if (packed.length < CHECKSUM_BYTES) return undefined;
  const code = packed.subarray(CHECKSUM_BYTES);
  return packed.readUInt32LE() === computeChecksum(code, source) ? code : undefined;
}

/** V8 itself compares lengths and versions only, and runs code that was damaged. */
function computeChecksum(code, source) {
  return crc32(code, crc32(source, crc32(`${process.version} ${process.arch}`)));
}
