import { fileURLToPath } from "node:url";
import { startServer } from "../processes/start-server.mjs";

const COMMAND = fileURLToPath(new URL("../../packages/proxy/bin/flags-proxy.js", import.meta.url));
const CLIENT_KEY = "bench-key";

/** Our proxy, by its command. A probe is a module that is loaded before it and talks to us. */
export async function startOurs({ upstreamUrl, env = {}, probe }) {
  const server = await startServer((port) => ({
    command: process.execPath,
    args: [...(probe ? ["--import", probe.href] : []), COMMAND],
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
