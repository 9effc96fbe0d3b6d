// Loads dist/bundle/flags-proxy.js: the program and its dependencies in one file, and beside it what
// V8 made of that file when it was built. docs/decisions/0013-bundle-with-code-cache.md says why.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { unpackCode } from "./code-cache.js";

export const BUNDLE_FILE = fileURLToPath(new URL("../dist/bundle/flags-proxy.js", import.meta.url));
export const CODE_FILE = `${BUNDLE_FILE}.code`;

const NOT_BUILT = "The command is not built: run `npm run build` where its source is";

/** What the bundle exports: the exports of src/main.ts. */
export function loadBundle() {
  return runBundle(compileBundle());
}

/** Without its compiled code the bundle works as well: V8 then compiles it now. */
export function compileBundle() {
  const source = readFile(BUNDLE_FILE);
  if (source === undefined) stop(NOT_BUILT);
  const packed = readFile(CODE_FILE);
  // NOTE: the bundle is ASCII. Read as Latin-1 it is neither decoded nor copied into the heap.
  return new Script(source.latin1Slice(), {
    filename: BUNDLE_FILE,
    cachedData: packed && unpackCode(packed, source),
  });
}

/** The bundle is a function of what Node passes to a module, and of `import`. */
export function runBundle(script) {
  const module = { exports: {} };
  const place = [BUNDLE_FILE, dirname(BUNDLE_FILE)];
  const run = script.runInThisContext();
  run(module.exports, createRequire(BUNDLE_FILE), module, ...place, (name) => import(name));
  return module.exports;
}

function readFile(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function stop(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
