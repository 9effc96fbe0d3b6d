// What many existing backends are: TypeScript 5 that compiles `import` to `require`, and ignores `exports`.
// scripts/packages/check-consumers.mjs compiles and runs it.

import { createFlagsClient, type FlagsClient } from "flags-sdk";

const client: FlagsClient = createFlagsClient({
  url: "http://127.0.0.1:9/api",
  token: "default:development.consumer",
  appName: "consumer",
});
if (!client.isEnabled("new-checkout", { userId: "7" }, true)) throw new Error("Not the fallback");
console.log("CommonJS of TypeScript 5 with moduleResolution node10: flags-sdk works");
