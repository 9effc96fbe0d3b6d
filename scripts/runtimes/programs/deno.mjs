import { createFetchApp } from "flags-proxy/fetch";

const app = createFetchApp(JSON.parse(Deno.env.get("OPTIONS")));
Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")) }, app.fetch);
