import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePorts } from "../free-ports.mjs";

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/** Chooses ports for the flag-management service and the proxy, which replace those in the documents. */
export async function choosePorts() {
  const [admin, proxy] = await findFreePorts(2);
  return { admin: String(admin), proxy: String(proxy) };
}

/** Returns the ports that a block uses: of the flag-management service or another upstream, or of the proxy. */
export function portsOf(text) {
  if (text.includes("npm start")) return ["admin", "proxy"];
  return text.includes("flags-proxy\n") ? ["proxy"] : ["admin"];
}

/** Runs a block that starts a server, and resolves when the server is ready. */
export async function startServer({ place, text, ports, folder, environment }) {
  const used = portsOf(text);
  const port = ports[used.at(-1)];
  const env = {
    ...process.env,
    ...environment,
    ADMIN_PORT: ports.admin,
    PORT: port,
    SHUTDOWN_DELAY: "0",
  };
  const server = spawn("bash", ["-euc", text], { cwd: folder, env, detached: true });
  let output = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.on("data", (chunk) => (output += chunk));
  }
  const exit = once(server, "close");
  const address = `http://127.0.0.1:${port}${used.includes("proxy") ? "/proxy/health" : "/"}`;
  const stop = async () => {
    signal(server, "SIGTERM");
    if ((await Promise.race([exit, sleep(STOP_TIMEOUT_MS, "late", { ref: false })])) === "late") {
      signal(server, "SIGKILL");
      await exit;
    }
  };
  // NOTE: the quickstart is ready after its services, once the demo flags exist.
  const isReady = text.includes("npm start") ? () => output.includes("Ready in") : () => true;
  const result = await Promise.race([exit, waitUntilReady(address, isReady)]);
  if (result === "ready") return { used, stop };
  await stop();
  throw new Error(`${place} did not start:\n${text}\n${output}`);
}

async function waitUntilReady(address, isReady) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const response = await fetch(address).catch(() => undefined);
    await response?.body?.cancel();
    // A path that does not exist is a response too.
    if (response && response.status < 500 && isReady()) return "ready";
    await sleep(POLL_MS);
  }
  return "late";
}

/** Sends a signal to the process group of the block. */
function signal(server, name) {
  try {
    process.kill(-Number(server.pid), name);
  } catch {
    // It has ended.
  }
}
