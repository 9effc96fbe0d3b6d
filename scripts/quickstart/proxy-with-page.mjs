// The proxy of the quickstart: `flags-proxy` in one process, with the demo page at its root.

import { runProgram } from "flags-server-kit";
import { loadConfig } from "../../packages/proxy/dist/config/load-config.js";
import { PROGRAM } from "../../packages/proxy/dist/config/program.js";
import { serve } from "../../packages/proxy/dist/start.js";
import { createAdminClient } from "./admin-client.mjs";
import { loadKeys } from "./keys.mjs";
import { createPage } from "./page.mjs";
import { clientKeyOf, readSettings } from "./settings.mjs";

const settings = readSettings(process.env);
const keys = await loadKeys(settings.directory);
const page = createPage(settings, {
  admin: createAdminClient(settings.adminUrl, keys.adminToken),
  clientKey: clientKeyOf(settings, keys),
});

await runProgram(PROGRAM, {
  loadConfig: (environment) => loadConfig({}, environment),
  serve: async (config) => {
    const proxy = await serve(config);
    const { server } = proxy.app;
    handleFirst(page, server);
    return { server, address: `${proxy.url}/proxy`, close: () => proxy.close() };
  },
});

/** Handles requests for the page and passes all others to the proxy. */
function handleFirst(handlePage, server) {
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (handlePage(request, response)) return;
    for (const listener of listeners) listener.call(server, request, response);
  });
}
