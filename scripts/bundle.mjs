// The last step of `npm run build`: makes a few files of the many that the proxy loads when it starts,
// those of its dependencies included. docs/decisions/0013-command-in-few-files.md says why.

import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const dist = fileURLToPath(new URL("../packages/proxy/dist/", import.meta.url));
const target = `${dist}bundle/`;

const bundle = await rolldown({
  input: { "flags-proxy": `${dist}main.js`, worker: `${dist}worker.js` },
  platform: "node",
  // Serves files that lie beside its own code, and is loaded only where it is wanted.
  external: [/^@fastify\/swagger/],
  logLevel: "warn",
});
await rm(target, { recursive: true, force: true });
await bundle.write({
  dir: target,
  entryFileNames: "[name].js",
  // NOTE: one folder below the entries, as the code is of which the worker pool looks for its worker.
  chunkFileNames: "parts/[name].js",
  // Names stay as they are, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();
