// `npm start`: installs, builds and runs a complete system on this machine until Ctrl-C: the flag
// service with a few demo flags, and the proxy with a page at its root that shows what it answers.
//
// ADMIN_PORT and PORT change the ports, DATA_DIR the directory of keys and database. Every setting of
// `flags-admin` and `flags-proxy` may be given as well: `ENABLE_OAS=true npm start`.

import { requireFreePorts } from "./quickstart/ports.mjs";
import { runQuickstart } from "./quickstart/run-quickstart.mjs";
import { readSettings } from "./quickstart/settings.mjs";
import { prepareWorkspace, requireNode } from "./workspace.mjs";

requireNode();
const settings = readSettings(process.env);
await requireFreePorts(settings.ports);
await prepareWorkspace();
process.exitCode = await runQuickstart(settings);
