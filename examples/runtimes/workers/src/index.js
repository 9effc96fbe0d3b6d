import { env } from "cloudflare:workers";
import { cacheApi, createFetchApp, workersKv } from "flags-proxy/fetch";

const app = createFetchApp({
  flagsUrl: env.FLAGS_URL,
  flagsApiToken: env.FLAGS_API_TOKEN,
  clientKeys: env.FLAGS_PROXY_CLIENT_KEYS,
  // With KV, new isolates start while the upstream is down, in all locations.
  cache: env.FLAGS === undefined ? cacheApi() : workersKv(env.FLAGS),
});

export default { fetch: app.fetch };
