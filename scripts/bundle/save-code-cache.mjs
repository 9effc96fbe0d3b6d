// Runs the command, and writes its code cache when it receives a message.

import { readFileSync, writeFileSync } from "node:fs";
import {
  BUNDLE_FILE,
  CODE_CACHE_FILE,
  compileBundle,
  packCodeCache,
  runBundle,
} from "../../packages/proxy/bin/load-bundle.js";

const script = compileBundle();
process.once("message", () => {
  const code = script.createCachedData();
  writeFileSync(CODE_CACHE_FILE, packCodeCache(code, readFileSync(BUNDLE_FILE)));
  process.exit();
});
// NOTE: V8 accepts a code cache only under the options under which it was created.
await runBundle(script).runCommand();
