// Loads the bundle of a command: a script with the program and its dependencies, next to the code cache that
// V8 produced from it during the build. npm packages contain no code cache.
// See docs/decisions/0013-bundle-with-code-cache.md.
//
// Not compiled, so that a command that is not built can say so. Nothing that is missing in old versions of Node is
// imported by name, so that they can say so too.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import * as zlib from "node:zlib";

const NOT_BUILT = "The command is not built: run `npm run build` in its source repository";
const CHECKSUM_BYTES = 4;
const OLDEST_NODE = [20, 19];

/**
 * Describes the bundle of a command.
 *
 * @param url `file:` URL of the script
 * @param importModule `import()` of the package of the command, whose dependencies the bundle imports
 */
export function describeBundle(url, importModule) {
  const file = fileURLToPath(url);
  const codeCacheFile = `${file}.code`;

  /** Without a usable code cache, V8 compiles the bundle now, which only takes longer. */
  const compile = () => {
    if (isTooOld(process.versions.node)) {
      fail(
        `Node ${OLDEST_NODE.join(".")} or later is required, but this is ${process.version}: install a later one`,
      );
    }
    const source = readIfPresent(file);
    if (source === undefined) fail(NOT_BUILT);
    const cache = readIfPresent(codeCacheFile);
    // NOTE: the bundle is ASCII. Read as Latin-1, it is neither decoded nor copied into the heap.
    return new Script(source.latin1Slice(), {
      filename: file,
      cachedData: cache && unpackCodeCache(cache, source),
    });
  };

  /** Returns the exports of the bundle, which are those of src/main.ts. */
  const run = (script) => {
    const module = { exports: {} };
    // A function of the parameters that Node passes to a CommonJS module, and `import`.
    const main = script.runInThisContext();
    main(module.exports, createRequire(file), module, file, dirname(file), importModule);
    return module.exports;
  };

  /** Returns the content of the code cache file: a checksum, then the code that V8 compiled. */
  const packCodeCache = (code) => {
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(computeChecksum(code, readFileSync(file)));
    return Buffer.concat([checksum, code]);
  };

  return { file, codeCacheFile, compile, run, packCodeCache, load: () => run(compile()) };
}

function isTooOld(version) {
  const [major, minor] = version.split(".").map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

/** Returns undefined unless this version of Node produced the code from this source. */
function unpackCodeCache(packed, source) {
  if (packed.length < CHECKSUM_BYTES) return undefined;
  const code = packed.subarray(CHECKSUM_BYTES);
  return packed.readUInt32LE() === computeChecksum(code, source) ? code : undefined;
}

/** NOTE: V8 itself compares only lengths and versions, and would run damaged code. */
function computeChecksum(code, source) {
  const version = zlib.crc32(`${process.version} ${process.arch}`);
  return zlib.crc32(code, zlib.crc32(source, version));
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
