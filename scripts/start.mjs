// `npm start`: installs, builds and runs a complete system until Ctrl-C: the flag-management service
// with demo flags, and the proxy with a demo page at its root.
//
// ADMIN_PORT and PORT set the ports, DATA_DIR the directory of the data. All settings of `flags-admin`
// and `flags-proxy` work too, for example `ENABLE_OAS=true npm start`, except those that quickstart/settings.mjs overwrites.

import { requireFreePorts } from "./quickstart/ports.mjs";
import { runQuickstart } from "./quickstart/run-quickstart.mjs";
import { findHostProblem, readSettings } from "./quickstart/settings.mjs";
import { prepareWorkspace, requireNode } from "./workspace.mjs";

requireNode();
const hostProblem = findHostProblem(process.env);
if (hostProblem !== undefined) {
  console.error(hostProblem);
  process.exit(1);
}
const settings = readSettings(process.env);
await requireFreePorts(settings.ports);
await prepareWorkspace();
process.exitCode = await runQuickstart(settings);
