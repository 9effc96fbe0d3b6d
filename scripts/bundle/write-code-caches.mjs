// Writes the code caches of the bundles for this version of Node: of all, or of the named commands.

import { ADMIN, PROXY } from "./commands.mjs";
import { warmUpAdmin, warmUpProxy } from "./warm-up.mjs";
import { writeCodeCache } from "./write-code-cache.mjs";

const COMMANDS = { "flags-proxy": [PROXY, warmUpProxy], "flags-admin": [ADMIN, warmUpAdmin] };

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(COMMANDS);

await Promise.all(names.map((name) => writeCodeCache(...COMMANDS[name])));
