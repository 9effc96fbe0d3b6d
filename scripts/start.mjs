// `npm start`: installs, builds and runs a complete system until Ctrl-C: the flag-management service
// with demo flags, and the proxy with a demo page at its root.

import { requireFreePorts } from "./quickstart/ports.mjs";
import { runQuickstart } from "./quickstart/run-quickstart.mjs";
import { findHostProblem, readSettings } from "./quickstart/settings.mjs";
import { prepareWorkspace, requireNode } from "./workspace.mjs";

const USAGE = `Usage: npm start

Installs, builds and runs flags-admin with demo flags, and flags-proxy, on 127.0.0.1 until Ctrl-C.

Environment variables:
  ADMIN_PORT    Port of flags-admin (default: 4242)
  PORT          Port of flags-proxy (default: 3000)
  DATA_DIR      Directory of the data (default: .flags/quickstart)
  DATABASE_URL  A PostgreSQL database to use instead of the embedded one

Other settings of flags-admin and flags-proxy work too, for example ENABLE_OAS=true npm start, except
those in docs/tutorial/quickstart.md, which npm start sets.`;

const [argument] = process.argv.slice(2);
if (argument === "--help" || argument === "-h") {
  console.log(USAGE);
  process.exit();
}
if (argument !== undefined) {
  console.error(
    `Unknown argument ${argument}: npm start reads environment variables only. See npm start -- --help`,
  );
  process.exit(2);
}
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
