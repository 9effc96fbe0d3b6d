import { createFetchApp } from "flags-proxy/fetch";

const app = createFetchApp(JSON.parse(process.env.OPTIONS));
const { url } = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  fetch: app.fetch,
});
process.stdout.write(`${url}\n`);
