// The last step of `npm run build`: makes one file of the many that the proxy loads when it starts,
// those of its dependencies included, and keeps what V8 compiles of it.
// docs/decisions/0013-bundle-with-code-cache.md says why.

import { writeBundle } from "./bundle/write-bundle.mjs";
import { writeCode } from "./bundle/write-code.mjs";

await writeBundle();
try {
  await writeCode();
} catch (error) {
  console.warn(`The proxy works, but starts more slowly: no compiled code, ${error.message}`);
}
