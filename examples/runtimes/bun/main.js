import { createFetchApp } from "flags-proxy/fetch";

const app = createFetchApp({
  flagsUrl: process.env.FLAGS_URL,
  flagsApiToken: process.env.FLAGS_API_TOKEN,
  clientKeys: process.env.FLAGS_PROXY_CLIENT_KEYS,
});

const server = Bun.serve({ hostname: "127.0.0.1", fetch: app.fetch });
console.log(`Flags for clients: ${server.url}proxy`);
