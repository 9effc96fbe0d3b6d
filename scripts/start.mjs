// `npm start`: installs, builds and runs the proxy against the example upstream, until Ctrl-C.
// PORT and UPSTREAM_PORT change the ports. Every other setting of the proxy may be given as well,
// for example `ENABLE_OAS=true npm start`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { prepareWorkspace, requireNode, rootDirectory } from "./workspace.mjs";

const HOST = "127.0.0.1";
const CLIENT_KEY = "demo-client-key";
const REFRESH_INTERVAL_MS = 2000;
const READY_POLL_MS = 100;
const PARENT_POLL_MS = 500;
const STOP_TIMEOUT_MS = 12_000;

const upstreamPort = process.env.UPSTREAM_PORT || "4242";
const proxyPort = process.env.PORT || process.env.PROXY_PORT || "3000";
const proxyUrl = `http://${HOST}:${proxyPort}/proxy`;
const flagsFile = process.env.UPSTREAM_FILE || join("examples", "upstream", "flags.json");

const programs = {
  upstream: {
    script: join(rootDirectory, "examples", "upstream", "server.mjs"),
    settings: { HOST, PORT: upstreamPort },
  },
  proxy: {
    script: join(rootDirectory, "packages", "proxy", "bin", "flags-proxy.js"),
    settings: {
      HOST,
      PORT: proxyPort,
      PROXY_BASE_PATH: "",
      FLAGS_URL: `http://${HOST}:${upstreamPort}/api`,
      FLAGS_API_TOKEN: "not-checked-by-the-example",
      FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
      CLIENT_KEY_HEADER_NAME: "authorization",
      FLAGS_FETCH_INTERVAL: process.env.FLAGS_FETCH_INTERVAL || String(REFRESH_INTERVAL_MS),
      LOG_LEVEL: process.env.LOG_LEVEL || "info",
      NO_PROXY: HOST,
      no_proxy: HOST,
    },
  },
};

requireNode();
await requireFreePort(upstreamPort, "UPSTREAM_PORT");
await requireFreePort(proxyPort, "PORT");
await prepareWorkspace();
process.exitCode = await runPrograms();

async function requireFreePort(port, variable) {
  const server = createServer();
  try {
    if (Number(port) === 0) throw new Error("the commands to paste need a port that is known");
    server.listen(Number(port), HOST);
    await once(server, "listening");
  } catch (error) {
    const reason = error.code === "EADDRINUSE" ? "is taken" : `cannot be used (${error.message})`;
    console.error(`Port ${port} ${reason}: choose another one with ${variable}.`);
    process.exit(1);
  }
  await new Promise((resolve) => server.close(resolve));
}

/** Runs both programs until a signal arrives or one of them ends; resolves to the exit code. */
async function runPrograms() {
  const signalled = waitForSignal();
  const upstream = startProgram("upstream");
  const proxy = startProgram("proxy");
  const readiness = new AbortController();
  void announceWhenReady(readiness.signal);

  const failure = await Promise.race([
    signalled,
    waitForEnd("upstream", upstream),
    waitForEnd("proxy", proxy),
  ]);
  readiness.abort();
  if (failure) console.error(failure);
  // The proxy goes first: it sends its last metrics to the upstream.
  await stopProgram(proxy);
  await stopProgram(upstream);
  return failure ? 1 : 0;
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

async function waitForEnd(name, program) {
  const [code, signal] = await once(program, "exit");
  return `The ${name} ended (${signal ?? `exit code ${code}`}), so everything stops.`;
}

function startProgram(name) {
  const { script, settings } = programs[name];
  const program = spawn(process.execPath, [script], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    // A Ctrl-C reaches every process of the terminal's group; these two are stopped in order.
    detached: process.platform !== "win32",
  });
  const prefix = `[${name}]`.padEnd(11);
  for (const stream of [program.stdout, program.stderr]) {
    createInterface({ input: stream }).on("line", (line) => console.log(`${prefix}${line}`));
  }
  process.on("exit", () => program.kill("SIGKILL"));
  return program;
}

async function stopProgram(program) {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exit = once(program, "exit");
  program.kill("SIGTERM");
  const deadline = setTimeout(() => program.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(deadline);
}

async function announceWhenReady(signal) {
  while (!signal.aborted) {
    const response = await fetch(`${proxyUrl}/health`, { signal }).catch(() => undefined);
    if (response?.ok) return console.log(instructions());
    await sleep(READY_POLL_MS);
  }
}

function instructions() {
  return `
The proxy is ready: ${proxyUrl}

Which flags are on for user 1 on the plan pro?

  curl -g -H 'Authorization: ${CLIENT_KEY}' '${proxyUrl}?userId=1&properties[plan]=pro'

What about these two for a customer in Norway?

  curl -H 'Authorization: ${CLIENT_KEY}' -H 'Content-Type: application/json' \\
    -d '{"context":{"properties":{"country":"NO"}},"toggles":["local-payments","old-checkout"]}' \\
    ${proxyUrl}

Change a flag: set "enabled" of old-checkout to true in ${flagsFile}, wait two seconds, ask again.

Ctrl-C stops everything.
`;
}
