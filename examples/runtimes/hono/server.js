import { serve } from "@hono/node-server";
import { createApp } from "flags-proxy";
import { Hono } from "hono";

const flags = createApp({
  flagsUrl: process.env.FLAGS_URL,
  flagsApiToken: process.env.FLAGS_API_TOKEN,
  clientKeys: process.env.FLAGS_PROXY_CLIENT_KEYS,
});
await flags.flagsReady();

const app = new Hono();
app.get("/", (c) => {
  const { userId } = c.req.query();
  return c.text(flags.evaluate({ userId }).isEnabled("new-header") ? "New page" : "Old page");
});
// Clients use /flags/proxy: Hono removes the path of the mount.
app.mount("/flags", (request, { incoming }) =>
  flags.fetch(request, { address: incoming.socket.remoteAddress }),
);

const port = Number(process.env.PORT ?? 3000);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) => {
  console.log(`Flags for clients: http://127.0.0.1:${address.port}/flags/proxy`);
});
