import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { build, type Rollup } from "vite";

/** Pages read the sources too, so that a stale build can never pass. */
const alias = {
  "flags-sdk/openfeature-web": fileURLToPath(
    new URL("../../sdk/src/integrations/openfeature-web.ts", import.meta.url),
  ),
};

/** Bundles a script and the libraries it imports for browsers. */
export async function bundle(entry: URL): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    resolve: { alias },
    build: { write: false, minify: false, rollupOptions: { input: fileURLToPath(entry) } },
  })) as Rollup.RollupOutput;
  return built.output[0].code;
}

/** Returns the HTML of a page with one script, and with content in its `#root`. */
export function toHtml(content = "", data = ""): string {
  return `<!doctype html><meta charset="utf-8"><title>Test</title><link rel="icon" href="data:,"><div id="root">${content}</div>${data}<script type="module" src="/script.js"></script>`;
}

/** Serves a page with one script, for the duration of a test. By default, the page has no content. */
export async function startPageServer(
  script: string,
  render: (url: URL) => string = () => toHtml(),
): Promise<string> {
  const server = createServer((request, response) => {
    const isScript = request.url === "/script.js";
    const type = isScript ? "text/javascript" : "text/html";
    response
      .setHeader("content-type", `${type}; charset=utf-8`)
      .setHeader("cache-control", "private, no-cache")
      .end(isScript ? script : render(new URL(request.url ?? "/", "http://page.test")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
