import { fileURLToPath } from "node:url";
import { startProgram, stop } from "../processes/children.mjs";
import { findFreePort, waitUntilReady } from "../processes/ports.mjs";

const COMMAND = fileURLToPath(new URL("../../packages/proxy/bin/flags-proxy.js", import.meta.url));
const CLIENT_KEY = "bench-key";

/** Our proxy, by its command. */
export async function startOurs({ upstreamUrl, env = {}, nodeOptions = [], hasChannel = false }) {
  const port = await findFreePort();
  const child = startProgram(process.execPath, [...nodeOptions, COMMAND], {
    hasChannel,
    env: {
      FLAGS_URL: upstreamUrl,
      FLAGS_API_TOKEN: "bench-token",
      FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
      HOST: "127.0.0.1",
      PORT: String(port),
      ...env,
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
