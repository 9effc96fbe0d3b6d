import { fileURLToPath } from "node:url";
import { startProgram, stop } from "../processes/children.mjs";
import { findFreePort, waitUntilReady } from "../processes/ports.mjs";

const SCRIPT = fileURLToPath(new URL("old-proxy-server.mjs", import.meta.url));
const CLIENT_KEY = "bench-key";

/** The Node proxy that ours takes the place of. */
export async function startOldProxy({ upstreamUrl }) {
  const port = await findFreePort();
  const child = startProgram(process.execPath, [SCRIPT], {
    env: {
      UNLEASH_URL: upstreamUrl,
      UNLEASH_API_TOKEN: "bench-token",
      UNLEASH_PROXY_CLIENT_KEYS: CLIENT_KEY,
      NODE_ENV: "production",
      PORT: String(port),
    },
  });
  await waitUntilReady(`http://127.0.0.1:${port}/proxy/health`);
  return {
    child,
    port,
    path: "/proxy",
    headers: { authorization: CLIENT_KEY },
    stop: () => stop(child),
  };
}
