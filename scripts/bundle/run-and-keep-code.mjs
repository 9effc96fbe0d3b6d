// The command, which writes what V8 has compiled of it when it is told to.

import { readFileSync, writeFileSync } from "node:fs";
import { packCode } from "../../packages/proxy/bin/code-cache.js";
import {
  BUNDLE_FILE,
  CODE_FILE,
  compileBundle,
  runBundle,
} from "../../packages/proxy/bin/load-bundle.js";

// NOTE: has the command leave the options of V8 alone (src/small-heap.ts), since V8 takes code
// only under the options that it was made under.
process.env.NODE_OPTIONS = "semi-space";

const script = compileBundle();
process.once("message", () => {
  writeFileSync(CODE_FILE, packCode(script.createCachedData(), readFileSync(BUNDLE_FILE)));
  process.exit();
});
await runBundle(script).runCommand();
