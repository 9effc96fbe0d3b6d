// Runs a command, and writes its code cache when it receives a message. The argument is the path of its
// bin/load-bundle.js.

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

// NOTE: the subcommand parser of the command must not see the argument.
const [loader] = process.argv.splice(2);
const { bundle } = await import(pathToFileURL(loader));

const script = bundle.compile();
process.once("message", () => {
  writeFileSync(bundle.codeCacheFile, bundle.packCodeCache(script.createCachedData()));
  process.exit();
});
await bundle.run(script).runCommand();
