import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { createAdminClient } from "../admin-client.mjs";
import { startCommand } from "./installed-command.mjs";

const ADMIN_TOKEN = "*:*.admin-token-of-the-test";
const CLIENT_TOKEN = "default:development.client-token-of-the-test";
const CLIENT_KEY = "client-key-of-the-test";
const FLAG = "new-checkout";
const TIMEOUT_MS = 180_000;
const POLL_INTERVAL_MS = 10;

/**
 * Starts the installed commands with an empty database, creates a flag and evaluates it with the official
 * client. Returns how long that took, and the parts of it.
 */
export async function measureFirstFlag(directory) {
  const started = [];
  const begin = performance.now();
  try {
    const admin = await startCommand(directory, "flags-admin", {
      DATA_DIR: await mkdtemp(join(directory, "data-")),
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
    });
    started.push(admin);
    const adminMs = performance.now() - begin;
    await createFlag(admin.origin);
    const proxyBegin = performance.now();
    const proxy = await startCommand(directory, "flags-proxy", {
      FLAGS_URL: `${admin.origin}/api`,
      FLAGS_API_TOKEN: CLIENT_TOKEN,
      FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
    });
    started.push(proxy);
    const proxyMs = performance.now() - proxyBegin;
    const url = `${proxy.origin}/proxy`;
    while (!(await fetch(`${url}/health`)).ok) await delay(POLL_INTERVAL_MS);
    await evaluateFlag(url);
    const totalMs = performance.now() - begin;
    await requireConsole(admin.origin);
    return { totalMs, adminMs, proxyMs };
  } finally {
    await Promise.all(started.map((command) => command.stop()));
  }
}

/** The package contains the console, with compressed scripts. */
async function requireConsole(origin) {
  const page = await fetch(origin, { headers: { accept: "text/html" } });
  const [, script] = /src="\.?\/?(assets\/[\w-]+\.js)"/.exec(await page.text()) ?? [];
  const response = await fetch(`${origin}/${script}`, { headers: { "accept-encoding": "br" } });
  const coding = response.headers.get("content-encoding");
  await response.body?.cancel();
  if (coding === "br") return;
  throw new Error(`The console of the package is incomplete: ${script} has the coding ${coding}`);
}

async function createFlag(origin) {
  const admin = createAdminClient(origin, ADMIN_TOKEN);
  const environment = `/projects/default/features/${FLAG}/environments/development`;
  await admin.post("/projects/default/features", { name: FLAG });
  await admin.post(`${environment}/strategies`, { name: "default" });
  await admin.post(`${environment}/on`);
}

/** Resolves when the client has received the flag. */
async function evaluateFlag(url) {
  const client = new UnleashClient({
    url,
    clientKey: CLIENT_KEY,
    appName: "test",
    refreshInterval: 0.05,
    disableMetrics: true,
    storageProvider: new InMemoryStorageProvider(),
  });
  const { promise, resolve, reject } = createDeferred();
  const timeout = setTimeout(
    () => reject(new Error(`The client has not received ${FLAG}`)),
    TIMEOUT_MS,
  );
  const check = () => client.isEnabled(FLAG) && resolve();
  client.on("ready", check);
  client.on("update", check);
  try {
    await client.start();
    await promise;
  } finally {
    clearTimeout(timeout);
    client.stop();
  }
}

/** NOTE: Node 20 lacks `Promise.withResolvers`. */
function createDeferred() {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
}
