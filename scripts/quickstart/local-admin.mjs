// The flag-management service of the quickstart: `flags-admin`, for requests to this machine only.

import { bundle } from "../../packages/admin/bin/load-bundle.js";
import { handleFirst, isForThisMachine } from "./local-host.mjs";

const MESSAGE = "The quickstart serves only requests to 127.0.0.1 and localhost";

await bundle.load().runCommand(({ server }) => {
  handleFirst(rejectOtherHosts, server);
  process.send("listening");
});

function rejectOtherHosts(request, response) {
  if (isForThisMachine(request)) return false;
  request.resume();
  response.writeHead(421, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ name: "MisdirectedRequestError", message: MESSAGE, details: [] }));
  return true;
}
