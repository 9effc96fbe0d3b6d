// The servers that are compared. Each function starts one and returns what `measureLoad()` needs, and `stop`.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, startScript, stop } from "../lib/processes.mjs";
import { startServer } from "../lib/servers.mjs";
import { startUpstream } from "../lib/upstream.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OLD_PROXY_SCRIPT = fileURLToPath(new URL("old-proxy-server.mjs", import.meta.url));
const CLIENT_KEY = "bench-key";
const UPSTREAM_TOKEN = "bench-token";
const EDGE_SERVER_TOKEN = "*:development.bench-server";
const EDGE_CLIENT_TOKEN = "*:development.bench-client";

/**
 * Starts our proxy by its command.
 *
 * @param options `upstreamUrl`; `env`, additional settings; `probe`, the URL of a module to preload, which
 *   gets a message channel; `checkout`, the directory of another built checkout (default: this one)
 */
export async function startOurs({ upstreamUrl, env = {}, probe, checkout = ROOT }) {
  const command = join(checkout, "packages", "proxy", "bin", "flags-proxy.js");
  const server = await startServer((port) => ({
    command: process.execPath,
    args: [...(probe ? ["--import", probe.href] : []), command],
    hasChannel: probe !== undefined,
    healthPath: "/proxy/health",
    env: {
      FLAGS_URL: upstreamUrl,
      FLAGS_API_TOKEN: UPSTREAM_TOKEN,
      FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
      HOST: "127.0.0.1",
      PORT: String(port),
      ENABLE_ALL_ENDPOINT: "true",
      ...env,
    },
  }));
  return { ...server, path: "/proxy", headers: { authorization: CLIENT_KEY } };
}

/** Starts the proxy of the checkout `PREVIOUS_CHECKOUT`, to compare two versions in one run. */
function startPrevious(options) {
  return startOurs({ ...options, checkout: process.env.PREVIOUS_CHECKOUT });
}

/** Starts the Node proxy that ours replaces. */
export async function startOldProxy({ upstreamUrl }) {
  const server = await startServer((port) => ({
    command: process.execPath,
    args: [OLD_PROXY_SCRIPT],
    healthPath: "/proxy/health",
    env: {
      UNLEASH_URL: upstreamUrl,
      UNLEASH_API_TOKEN: UPSTREAM_TOKEN,
      UNLEASH_PROXY_CLIENT_KEYS: CLIENT_KEY,
      NODE_ENV: "production",
      PORT: String(port),
    },
  }));
  return { ...server, path: "/proxy", headers: { authorization: CLIENT_KEY } };
}

/**
 * Starts a bare `node:http` server, the baseline: an HTTP server on Node can hardly be faster than one
 * that does nothing else. `respondWith` sets the response that it sends to every request.
 */
export async function startBare() {
  const child = startScript(new URL("bare-server.mjs", import.meta.url));
  const port = await call(child, { status: 503, headers: {}, body: "" });
  return {
    child,
    port,
    path: "/",
    headers: { authorization: CLIENT_KEY },
    respondWith: (response) => call(child, response),
    stop: () => stop(child),
  };
}

/** Starts Edge from the binary `EDGE_BIN`, offline, with the flags in a file and one worker thread. */
async function startEdge({ document }) {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  const file = join(directory, "features.json");
  await writeFile(file, JSON.stringify(document));
  const offline = ["offline", "-b", file, "-c", EDGE_SERVER_TOKEN, "-f", EDGE_CLIENT_TOKEN];
  const server = await startServer((port) => ({
    command: process.env.EDGE_BIN,
    args: ["-i", "127.0.0.1", "-p", String(port), ...offline],
    healthPath: "/internal-backstage/health",
    env: { TOKIO_WORKER_THREADS: "1" },
  }));
  return {
    ...server,
    path: "/api/frontend",
    headers: { authorization: EDGE_CLIENT_TOKEN },
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true });
    },
  };
}

/** How to start each available server. Ours is the first: the bare server copies its responses. */
export const PEERS = {
  ours: startOurs,
  ...(process.env.PREVIOUS_CHECKOUT && { previous: startPrevious }),
  old: startOldProxy,
  bare: startBare,
  ...(process.env.EDGE_BIN && { edge: startEdge }),
};

/**
 * Runs a task with an upstream that serves a document and with servers that use it.
 *
 * @param task gets a map of the servers by name, and the upstream
 */
export async function withServers(document, starters, task) {
  const upstream = await startUpstream(document);
  const servers = new Map();
  try {
    for (const [name, start] of Object.entries(starters)) {
      servers.set(name, await start({ document, upstreamUrl: upstream.url }));
    }
    return await task(servers, upstream);
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    upstream.close();
  }
}
