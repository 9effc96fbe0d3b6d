import { fileURLToPath } from "node:url";
import { startServer } from "../processes/start-server.mjs";

const SCRIPT = fileURLToPath(new URL("old-proxy-server.mjs", import.meta.url));
const CLIENT_KEY = "bench-key";

/** The Node proxy that ours takes the place of. */
export async function startOldProxy({ upstreamUrl }) {
  const server = await startServer((port) => ({
    command: process.execPath,
    args: [SCRIPT],
    healthPath: "/proxy/health",
    env: {
      UNLEASH_URL: upstreamUrl,
      UNLEASH_API_TOKEN: "bench-token",
      UNLEASH_PROXY_CLIENT_KEYS: CLIENT_KEY,
      NODE_ENV: "production",
      PORT: String(port),
    },
  }));
  return { ...server, path: "/proxy", headers: { authorization: CLIENT_KEY } };
}
