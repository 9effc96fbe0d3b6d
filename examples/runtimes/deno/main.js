import { createFetchApp, denoKv } from "flags-proxy/fetch";

const app = createFetchApp({
  flagsUrl: Deno.env.get("FLAGS_URL"),
  flagsApiToken: Deno.env.get("FLAGS_API_TOKEN"),
  clientKeys: Deno.env.get("FLAGS_PROXY_CLIENT_KEYS"),
  cache: denoKv(await Deno.openKv(Deno.env.get("KV_PATH"))),
});

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT") ?? 3000) }, app.fetch);
