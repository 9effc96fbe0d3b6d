import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);
const OFFICIAL_CLIENT = new URL("node_modules/unleash-proxy-client/build/main.esm.js", root);
const DIST = new URL("packages/stream-client/dist/", root);

/** A page with the official client and the built feed, which shows the flags that are on. */
const PAGE = `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><output></output><script type="module">
  import { UnleashClient } from "/official-client.js";
  import { PushFeed } from "/push/index.js";
  const { proxy, key, user } = Object.fromEntries(new URLSearchParams(location.search));
  const feed = new PushFeed();
  const client = new UnleashClient({
    url: proxy, clientKey: key, appName: "shop", context: { userId: user },
    refreshInterval: 0, disableMetrics: true, fetch: feed.fetch,
  });
  feed.feed(client);
  const show = () => {
    document.querySelector("output").textContent =
      client.getAllToggles().map(({ name }) => name).join(" ");
  };
  client.on("update", show);
  await client.start();
  show();
</script>`;

/** Serves the page from a separate origin. */
export async function startPageServer() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page.test");
    if (pathname === "/") {
      response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
      return;
    }
    const name = pathname.replace("/push/", "");
    const file = pathname === "/official-client.js" ? OFFICIAL_CLIENT : new URL(name, DIST);
    readFile(fileURLToPath(file)).then(
      (script) => response.writeHead(200, { "content-type": "text/javascript" }).end(script),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}
