import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "../processes/start-server.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLIENT_KEY = "bench-key";

/** Starts the proxy of another checkout, which must be built, to compare two versions in one run. */
export function startPrevious(options) {
  return startOurs({ ...options, checkout: process.env.PREVIOUS_CHECKOUT });
}

/** Starts our proxy by its command. A probe is a module that is loaded into it first. */
export async function startOurs({ upstreamUrl, env = {}, probe, checkout = ROOT }) {
  const command = join(checkout, "packages", "proxy", "bin", "flags-proxy.js");
  const server = await startServer((port) => ({
    command: process.execPath,
    args: [...(probe ? ["--import", probe.href] : []), command],
    hasChannel: probe !== undefined,
    healthPath: "/proxy/health",
    env: {
      FLAGS_URL: upstreamUrl,
      FLAGS_API_TOKEN: "bench-token",
      FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
      HOST: "127.0.0.1",
      PORT: String(port),
      ...env,
    },
  }));
  return { ...server, path: "/proxy", headers: { authorization: CLIENT_KEY } };
}
