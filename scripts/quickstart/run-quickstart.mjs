import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rootDirectory } from "../workspace.mjs";
import { createAdminClient } from "./admin-client.mjs";
import { instructions } from "./instructions.mjs";
import { loadKeys } from "./keys.mjs";
import { startProgram, stopProgram, waitForEnd } from "./program.mjs";
import { seed } from "./seed.mjs";
import { adminEnvironment, clientKeyOf, proxyEnvironment } from "./settings.mjs";

const ADMIN = {
  name: "flag-management service",
  prefix: "admin",
  script: "packages/admin/bin/flags-admin.js",
};
const PROXY = {
  name: "proxy",
  prefix: "proxy",
  script: "scripts/quickstart/proxy-with-page.mjs",
};
const KEY_REJECTED =
  "The flag-management service no longer accepts the quickstart key. Delete quickstart-keys.json " +
  "in the data directory; the next start creates new keys.";
const READY_POLL_MS = 100;
const PARENT_POLL_MS = 500;

/** Runs both services until a signal arrives or one of them exits; resolves to the exit code. */
export async function runQuickstart(settings) {
  const signalled = waitForSignal();
  const stopping = new AbortController();
  const stops = [];
  try {
    const keys = await loadKeys(settings.directory);
    const ended = startAll(settings, keys, { stops, stopping: stopping.signal });
    const problem = await Promise.race([signalled, ended]);
    if (problem) console.error(problem);
    return problem ? 1 : 0;
  } catch (error) {
    console.error(error.message);
    return 1;
  } finally {
    stopping.abort();
    // In reverse order: the proxy delivers its remaining usage to the flag-management service.
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Resolves to a message when a service exits. */
async function startAll(settings, keys, { stops, stopping }) {
  const launch = ({ name, prefix, script }, env) => {
    const program = startProgram(prefix, { script: join(rootDirectory, script), env });
    stops.push(() => stopProgram(program));
    return waitForEnd(name, program);
  };
  const admin = createAdminClient(settings.adminUrl, keys.adminToken);
  const adminEnd = launch(ADMIN, adminEnvironment(settings, keys, process.env));
  const adminFailure = await Promise.race([adminEnd, seedWhenReady(admin)]);
  if (adminFailure || stopping.aborted) return adminFailure;

  const proxyEnd = launch(PROXY, proxyEnvironment(settings, keys, process.env));
  const end = Promise.race([adminEnd, proxyEnd]);
  const proxyFailure = await Promise.race([end, waitUntilReady(`${settings.proxyUrl}/health`)]);
  if (proxyFailure || stopping.aborted) return proxyFailure;

  console.log(instructions(settings, { ...keys, clientKey: clientKeyOf(settings, keys) }));
  return end;
}

async function seedWhenReady(admin) {
  await waitUntilReady(admin.url("/projects"), admin.headers);
  try {
    const count = await seed(admin);
    if (count > 0) console.log(`Created ${count} demo flags.`);
  } catch (error) {
    console.warn(`Not all demo flags could be created: ${error.message}`);
  }
}

async function waitUntilReady(url, headers = {}) {
  for (;;) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    // The service opens its port after it has created its tokens, so waiting would not help.
    if (response?.status === 401) throw new Error(KEY_REJECTED);
    await sleep(READY_POLL_MS, undefined, { ref: false });
  }
}

function waitForSignal() {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => resolve());
    // NOTE: npm runs scripts in a shell, which exits on a signal without forwarding it.
    if (process.env.npm_lifecycle_event === "start") onParentEnd(resolve);
  });
}

function onParentEnd(listener) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, PARENT_POLL_MS);
  timer.unref();
}
