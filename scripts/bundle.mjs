// The last step of `npm run build`: bundles OpenTelemetry; bundles the proxy and its other dependencies into
// one file, and writes V8's code cache for it. See docs/decisions/0013-bundle-with-code-cache.md.

import { writeBundle } from "./bundle/write-bundle.mjs";
import { writeCodeCache } from "./bundle/write-code-cache.mjs";
import { writeTelemetryBundle } from "./bundle/write-telemetry-bundle.mjs";
import { recordBuild } from "./workspace.mjs";

await writeTelemetryBundle();
await writeBundle();
try {
  await writeCodeCache();
} catch (error) {
  console.warn(`Cannot write the code cache, so the proxy starts more slowly: ${error.message}`);
}
await recordBuild();
