import { env } from "cloudflare:workers";
import { createFetchApp } from "flags-proxy/fetch";

const app = createFetchApp(JSON.parse(env.OPTIONS));

export default { fetch: app.fetch };
