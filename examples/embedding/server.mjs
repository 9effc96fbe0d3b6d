// A Node program that embeds the proxy and also evaluates flags itself, with the same client.
//
//   node examples/upstream/server.mjs       in one terminal
//   node examples/embedding/server.mjs      in a second terminal
//
// http://127.0.0.1:8080/?user=1 is the program's own page; browsers use http://127.0.0.1:3000/proxy.

import { createServer } from "node:http";
import { createApp } from "flags-proxy";
import { createFlagsClient } from "flags-sdk";

const upstream = { url: "http://127.0.0.1:4242/api", token: "not-checked-by-the-example" };

const client = createFlagsClient({ ...upstream, appName: "shop", refreshIntervalMs: 2000 });
client.on("error", (error) => console.error(error.message));

const proxy = createApp(
  { flagsUrl: upstream.url, flagsApiToken: upstream.token, clientKeys: ["web-client-key"] },
  client,
);
// The app starts the client. Wait for the first flags.
await client.synchronized();
await proxy.listen({ host: "127.0.0.1", port: 3000 });

const pages = createServer((request, response) => {
  const userId = new URL(request.url, "http://localhost").searchParams.get("user") ?? "1";
  const fast = client.isEnabled("faster-search", { userId });
  response.end(`Search for user ${userId} is ${fast ? "fast" : "as it was"}.\n`);
});
pages.listen(8080, "127.0.0.1", () => console.log("http://127.0.0.1:8080/?user=1"));

async function stop() {
  pages.close();
  pages.closeAllConnections();
  await proxy.close();
  // Sends the usage counted since the last report.
  await client.close();
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop());
