import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rootDirectory } from "../workspace.mjs";
import { createAdminClient } from "./admin-client.mjs";
import { instructions } from "./instructions.mjs";
import { loadKeys } from "./keys.mjs";
import { createPageServer } from "./page-server.mjs";
import { startProgram, stopProgram, waitForEnd } from "./program.mjs";
import { seed } from "./seed.mjs";
import { adminEnvironment, proxyEnvironment } from "./settings.mjs";

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
  const launch = (name, folder, env) => {
    const script = join(rootDirectory, "packages", folder, "bin", `flags-${folder}.js`);
    const program = startProgram(folder, { script, env });
    stops.push(() => stopProgram(program));
    return waitForEnd(name, program);
  };
  const admin = createAdminClient(settings.adminUrl, keys.adminToken);
  const adminEnd = launch("flag service", "admin", adminEnvironment(settings, keys, process.env));
  const unseeded = await Promise.race([adminEnd, seedWhenReady(admin)]);
  if (unseeded || stopping.aborted) return unseeded;

  const proxyEnd = launch("proxy", "proxy", proxyEnvironment(settings, keys, process.env));
  const end = Promise.race([adminEnd, proxyEnd]);
  const failure = await Promise.race([end, untilAnswering(`${settings.proxyUrl}/health`)]);
  if (failure || stopping.aborted) return failure;

  const shown = { ...keys, clientKey: clientKeyOf(settings, keys) };
  const page = createPageServer(settings, { admin, clientKey: shown.clientKey });
  stops.push(() => page.close());
  await page.listen();
  if (!stopping.aborted) console.log(instructions(settings, shown));
  return end;
}

function clientKeyOf({ clientKeys }, keys) {
  return clientKeys ? clientKeys.split(",")[0].trim() : keys.clientKey;
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
