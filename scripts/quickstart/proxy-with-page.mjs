// The proxy of the quickstart: `flags-proxy` in one process, with the demo page at its root.

import { once } from "node:events";
import { bundle } from "../../packages/proxy/bin/load-bundle.js";
import { createAdminClient } from "../admin-client.mjs";
import { loadKeys } from "./keys.mjs";
import { createPage } from "./page.mjs";
import { readSettings } from "./settings.mjs";

const settings = readSettings(process.env);
const keys = await loadKeys(settings);
const page = createPage(settings, createAdminClient(settings.adminUrl, keys.adminToken));

// NOTE: also when the process that started this one was killed.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));

await bundle.load().runWithHooks({
  beforeStart: waitForUpstream,
  onListening: ({ server }) => handleFirst(page, server),
});

/** Handles requests before the service. A handler returns false for requests of the service. */
function handleFirst(handle, server) {
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (handle(request, response)) return;
    for (const listener of listeners) listener.call(server, request, response);
  });
}

/**
 * Both services start at the same time. A request that came too early would delay the next one, or get
 * no flags because the demo flags have not been created yet.
 */
async function waitForUpstream() {
  const signals = ["SIGINT", "SIGTERM"];
  // Until then there is nothing to finish. A proxy that started now would send requests to whatever uses the port.
  for (const signal of signals) process.on(signal, end);
  await once(process, "message");
  for (const signal of signals) process.off(signal, end);
}

function end() {
  process.exit();
}
