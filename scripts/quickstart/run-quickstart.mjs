import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createAdminClient } from "../admin-client.mjs";
import { formatDuration, printLine, showPhase } from "../progress.mjs";
import { hasExited, stopProcess } from "../stop-process.mjs";
import { rootDirectory } from "../workspace.mjs";
import { createConsoleLink } from "./console-link.mjs";
import { instructions } from "./instructions.mjs";
import { loadKeys } from "./keys.mjs";
import { seed } from "./seed.mjs";
import { adminEnvironment, clientKeyOf, proxyEnvironment, PUBLISHED_TOKENS } from "./settings.mjs";

const ADMIN = {
  name: "flag-management service",
  prefix: "admin",
  script: "scripts/quickstart/local-admin.mjs",
};
const PROXY = {
  name: "proxy",
  prefix: "proxy",
  script: "scripts/quickstart/proxy-with-page.mjs",
};
const READY_POLL_MS = 20;
const PARENT_POLL_MS = 500;
const STOP_TIMEOUT_MS = 12_000;

/** Runs both services until a signal arrives or one of them exits; resolves to the exit code. */
export async function runQuickstart(settings) {
  const signalled = waitForSignal();
  const stopping = new AbortController();
  const stops = [];
  let stopSignal = "SIGTERM";
  try {
    const keys = await loadKeys(settings);
    const ended = startAll(settings, keys, { stops, stopping: stopping.signal });
    const end = await Promise.race([signalled, ended]);
    if ("problem" in end) console.error(end.problem);
    else {
      stopSignal = end.signal;
      console.log(`Stopping (${stopSignal})`);
    }
    return "problem" in end ? 1 : 0;
  } catch (error) {
    console.error(error.message);
    return 1;
  } finally {
    stopping.abort();
    // In reverse order: the proxy delivers its remaining usage to the flag-management service.
    for (const stop of stops.toReversed()) await stop(stopSignal);
  }
}

/** Resolves to a problem when a service exits. */
async function startAll(settings, keys, { stops, stopping }) {
  const launch = ({ name, prefix, script }, env) => {
    const program = startProgram(prefix, { script: join(rootDirectory, script), env });
    stops.push((signal) => stopProcess(program, { signal, timeoutMs: STOP_TIMEOUT_MS }));
    return { program, end: waitForEnd(name, program).then((problem) => ({ problem })) };
  };
  // At the same time: loading the proxy does not depend on the service.
  const admin = launch(ADMIN, adminEnvironment(settings, keys, process.env));
  const proxy = launch(PROXY, proxyEnvironment(settings, keys, process.env));
  const end = Promise.race([admin.end, proxy.end]);
  const isEnding = () =>
    stopping.aborted || [admin, proxy].some(({ program }) => hasExited(program));
  const ready = async () => {
    // NOTE: not until its port is open, which that of another quickstart can be.
    await once(admin.program, "message");
    const client = createAdminClient(settings.adminUrl, keys.adminToken);
    await seedWhenReady(client, settings.directory, isEnding);
    if (isEnding()) return;
    // Not before: the proxy would be healthy with no flags.
    if (proxy.program.connected) proxy.program.send("start");
    const [link] = await Promise.all([
      createConsoleLink(client, settings, keys).catch((error) => {
        if (!isEnding()) console.warn(`There is no link to the console: ${error.message}`);
      }),
      waitForResponse(`${settings.proxyUrl}/health`, {}),
    ]);
    consoleLink = link;
  };
  let consoleLink;
  await showPhase("Starting the flag-management service and the proxy", async () => {
    const failure = await Promise.race([end, ready()]);
    if (failure !== undefined) throw new Error(failure.problem);
  });
  if (stopping.aborted) return undefined;

  const shownKeys = { ...keys, clientKey: clientKeyOf(settings), consoleLink };
  console.log(instructions(settings, shownKeys));
  console.log(`Ready in ${formatDuration(performance.now())}. Press Ctrl-C to stop.\n`);
  return end;
}

async function seedWhenReady(admin, directory, isEnding) {
  const response = await waitForResponse(admin.url("/projects"), admin.headers);
  // The service opens its port after it has created its tokens, so waiting would not help.
  if (response.status === 401) throw new Error(explainRejectedToken(directory));
  const count = await revokePublishedTokens(admin);
  if (count > 0) printLine(`Revoked ${count} tokens of an earlier version, which were public`);
  try {
    const created = await seed(admin);
    if (created > 0) printLine(`Created ${created} demo flags`);
  } catch (error) {
    if (!isEnding()) console.warn(`Not all demo flags could be created: ${error.message}`);
  }
}

/** Returns how many there were. */
async function revokePublishedTokens(admin) {
  let count = 0;
  for (const token of PUBLISHED_TOKENS) {
    // oxlint-disable-next-line no-await-in-loop -- the service handles one change at a time
    const error = await admin
      .delete(`/api-tokens/${encodeURIComponent(token)}`)
      .catch((reason) => reason);
    if (error === undefined) count += 1;
    else if (error.status !== 404) throw error;
  }
  return count;
}

function explainRejectedToken(directory) {
  return (
    "The flag-management service no longer accepts the admin token of the quickstart, which has " +
    `probably expired. To start over with new demo flags, delete ${directory}.`
  );
}

async function waitForResponse(url, headers) {
  for (;;) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok || response?.status === 401) return response;
    await sleep(READY_POLL_MS, undefined, { ref: false });
  }
}

function waitForSignal() {
  return new Promise((resolve) => {
    process.on("SIGINT", () => resolve({ signal: "SIGINT" }));
    process.on("SIGTERM", () => resolve({ signal: "SIGTERM" }));
    // The terminal was closed. The services are in process groups of their own, so they do not get this signal.
    process.on("SIGHUP", () => resolve({ signal: "SIGTERM" }));
    // NOTE: npm runs scripts in a shell, which exits on a signal without forwarding it.
    if (process.env.npm_lifecycle_event === "start") {
      onNpmEnd(() => resolve({ signal: "SIGTERM" }));
    }
  });
}

/** Calls a listener when npm, or the shell in which it runs this script, has ended. */
function onNpmEnd(listener) {
  const parent = process.ppid;
  const npm = findParentOfShell(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isRunning(npm))) return;
    clearInterval(timer);
    listener();
  }, PARENT_POLL_MS);
  timer.unref();
}

/** Returns the process that started a shell. Undefined for other programs: some shells let the script replace them. */
function findParentOfShell(pid) {
  try {
    const line = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" });
    const [, parent, isShell] = /^\s*(\d+)\s+(?:-?(\S*sh)\s*$)?/.exec(line) ?? [];
    return isShell === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Starts a Node program that exchanges messages with us, and prints each line of its output with its name. */
function startProgram(name, { script, env }) {
  const program = spawn(process.execPath, [script], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Ctrl-C reaches all processes of the terminal's group, but the programs have to stop in order.
    detached: process.platform !== "win32",
  });
  for (const stream of [program.stdout, program.stderr]) {
    createInterface({ input: stream }).on("line", (line) => printLine(`[${name}] ${line}`));
  }
  process.on("exit", () => program.kill("SIGKILL"));
  return program;
}

/** Resolves to a message when the program has exited. */
async function waitForEnd(name, program) {
  const [code, signal] = await once(program, "close");
  return `The ${name} exited (${signal ?? `exit code ${code}`}), so the quickstart stops.`;
}
