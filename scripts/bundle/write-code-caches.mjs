// Writes the code caches of all bundles for this version of Node.

import { ADMIN, PROXY } from "./commands.mjs";
import { warmUpAdmin } from "./warm-up-admin.mjs";
import { warmUpProxy } from "./warm-up-proxy.mjs";
import { writeCodeCache } from "./write-code-cache.mjs";

await Promise.all([writeCodeCache(PROXY, warmUpProxy), writeCodeCache(ADMIN, warmUpAdmin)]);
