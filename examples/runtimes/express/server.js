import express from "express";
import { createApp } from "flags-proxy";

const flags = createApp({
  flagsUrl: process.env.FLAGS_URL,
  flagsApiToken: process.env.FLAGS_API_TOKEN,
  clientKeys: process.env.FLAGS_PROXY_CLIENT_KEYS,
});
await flags.flagsReady();

const app = express();
app.get("/", (request, response) => {
  const { userId } = request.query;
  response.send(flags.evaluate({ userId }).isEnabled("new-header") ? "New page" : "Old page");
});
// Clients use /flags/proxy: Express removes the path of the mount.
app.use("/flags", flags);

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`Flags for clients: http://127.0.0.1:${server.address().port}/flags/proxy`);
});
