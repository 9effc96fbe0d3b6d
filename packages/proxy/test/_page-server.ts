import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { build, type Rollup } from "vite";

/** Bundles a script and the libraries it imports for browsers. */
export async function bundle(entry: URL): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, minify: false, rollupOptions: { input: fileURLToPath(entry) } },
  })) as Rollup.RollupOutput;
  return built.output[0].code;
}

/** Serves a page with one script and an empty `#root`, for the duration of a test. */
export async function startPageServer(script: string): Promise<string> {
  const page = `<!doctype html><title>Test</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/script.js"></script>`;
  const server = createServer((request, response) => {
    const isScript = request.url === "/script.js";
    const type = isScript ? "text/javascript" : "text/html";
    response.setHeader("content-type", `${type}; charset=utf-8`).end(isScript ? script : page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
