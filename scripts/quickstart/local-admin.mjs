// The flag-management service of the quickstart: `flags-admin`, for requests to this machine only.

import { runProgram } from "flags-server-kit";
import { loadConfig } from "../../packages/admin/dist/config/config.js";
import { PROGRAM } from "../../packages/admin/dist/config/settings.js";
import { serve } from "../../packages/admin/dist/start.js";
import { handleFirst, isForThisMachine } from "./local-host.mjs";

const MESSAGE = "The quickstart serves only requests to 127.0.0.1 and localhost";

await runProgram(PROGRAM, {
  loadConfig: async (environment) => loadConfig(environment),
  serve: async (config) => {
    const admin = await serve(config);
    handleFirst(rejectOtherHosts, admin.server);
    return admin;
  },
});

function rejectOtherHosts(request, response) {
  if (isForThisMachine(request)) return false;
  request.resume();
  response.writeHead(421, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ name: "MisdirectedRequestError", message: MESSAGE, details: [] }));
  return true;
}
