// Loads dist/bundle/flags-proxy.js, a bundle of the program and its dependencies, with the code cache
// that V8 produced from it during the build. npm packages contain no code cache.
// See docs/decisions/0013-bundle-with-code-cache.md.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

export const BUNDLE_FILE = fileURLToPath(new URL("../dist/bundle/flags-proxy.js", import.meta.url));
export const CODE_CACHE_FILE = `${BUNDLE_FILE}.code`;

const NOT_BUILT = "The command is not built: run `npm run build` in its source repository";
const CHECKSUM_BYTES = 4;

/** Returns the exports of the bundle, which are those of src/main.ts. */
export function loadBundle() {
  return runBundle(compileBundle());
}

/** Without a usable code cache, V8 compiles the bundle now, which only takes longer. */
export function compileBundle() {
  const source = readIfPresent(BUNDLE_FILE);
  if (source === undefined) fail(NOT_BUILT);
  const cache = readIfPresent(CODE_CACHE_FILE);
  // NOTE: the bundle is ASCII. Read as Latin-1, it is neither decoded nor copied into the heap.
  return new Script(source.latin1Slice(), {
    filename: BUNDLE_FILE,
    cachedData: cache && unpackCodeCache(cache, source),
  });
}

/** The bundle is a function of the parameters that Node passes to a CommonJS module, and `import`. */
export function runBundle(script) {
  const module = { exports: {} };
  const run = script.runInThisContext();
  const require = createRequire(BUNDLE_FILE);
  run(module.exports, require, module, BUNDLE_FILE, dirname(BUNDLE_FILE), importModule);
  return module.exports;
}

/** Returns the content of a cache file: a checksum, then the code. */
export function packCodeCache(code, source) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(computeChecksum(code, source));
  return Buffer.concat([checksum, code]);
}

/** Returns undefined unless this version of Node produced the code from this source. */
function unpackCodeCache(packed, source) {
  if (packed.length < CHECKSUM_BYTES) return undefined;
  const code = packed.subarray(CHECKSUM_BYTES);
  return packed.readUInt32LE() === computeChecksum(code, source) ? code : undefined;
}

/** NOTE: V8 itself compares only lengths and versions, and would run damaged code. */
function computeChecksum(code, source) {
  return crc32(code, crc32(source, crc32(`${process.version} ${process.arch}`)));
}

function importModule(name) {
  return import(name);
}

function readIfPresent(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
