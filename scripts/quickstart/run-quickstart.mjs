import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rootDirectory } from "../workspace.mjs";
import { createAdminClient } from "./admin-client.mjs";
import { instructions } from "./instructions.mjs";
import { loadKeys } from "./keys.mjs";
import { startProgram, stopProgram, waitForEnd } from "./program.mjs";
import { seed } from "./seed.mjs";
import { adminEnvironment, clientKeyOf, proxyEnvironment } from "./settings.mjs";

const FLAG_SERVICE = {
  name: "flag service",
  prefix: "admin",
  script: "packages/admin/bin/flags-admin.js",
};
const PROXY = {
  name: "proxy",
  prefix: "proxy",
  script: "scripts/quickstart/proxy-with-page.mjs",
};
const KEY_REFUSED =
  "The flag service does not accept the key of the quickstart any more: delete quickstart-keys.json " +
  "beside the database, and the next start makes new keys.";
const READY_POLL_MS = 100;
const PARENT_POLL_MS = 500;

/** Runs everything until a signal arrives or a part of it ends; resolves to the exit code. */
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
    // The last one goes first: the proxy sends its last metrics to the flag service.
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Resolves to a sentence when a program ends. */
async function startAll(settings, keys, { stops, stopping }) {
  const launch = ({ name, prefix, script }, env) => {
    const program = startProgram(prefix, { script: join(rootDirectory, script), env });
    stops.push(() => stopProgram(program));
    return waitForEnd(name, program);
  };
  const admin = createAdminClient(settings.adminUrl, keys.adminToken);
  const adminEnd = launch(FLAG_SERVICE, adminEnvironment(settings, keys, process.env));
  const unseeded = await Promise.race([adminEnd, seedWhenReady(admin)]);
  if (unseeded || stopping.aborted) return unseeded;

  const proxyEnd = launch(PROXY, proxyEnvironment(settings, keys, process.env));
  const end = Promise.race([adminEnd, proxyEnd]);
  const failure = await Promise.race([end, untilAnswering(`${settings.proxyUrl}/health`)]);
  if (failure || stopping.aborted) return failure;

  console.log(instructions(settings, { ...keys, clientKey: clientKeyOf(settings, keys) }));
  return end;
}

async function seedWhenReady(admin) {
  await untilAnswering(admin.url("/projects"), admin.headers);
  try {
    const count = await seed(admin);
    if (count > 0) console.log(`Made ${count} demo flags.`);
  } catch (error) {
    console.warn(`Not all demo flags could be made: ${error.message}`);
  }
}

async function untilAnswering(url, headers = {}) {
  for (;;) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    // The flag service opens its port when it knows its keys: waiting would be in vain.
    if (response?.status === 401) throw new Error(KEY_REFUSED);
    await sleep(READY_POLL_MS, undefined, { ref: false });
  }
}

function waitForSignal() {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => resolve());
    // NOTE: npm runs scripts in a shell, which dies of a signal without passing it on.
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
