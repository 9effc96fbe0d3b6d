// The last step of `npm run build`: bundles each command and its dependencies into one file, and writes
// V8's code cache for it. See docs/decisions/0013-bundle-with-code-cache.md.

import { ADMIN, PROXY } from "./bundle/commands.mjs";
import { writeBundle } from "./bundle/write-bundle.mjs";
import { recordBuild } from "./workspace.mjs";

await Promise.all([PROXY, ADMIN].map(writeBundle));
try {
  await import("./bundle/write-code-caches.mjs");
} catch (error) {
  console.warn(`Cannot write a code cache, so the command starts more slowly: ${error.message}`);
}
await recordBuild();
