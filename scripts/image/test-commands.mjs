import assert from "node:assert/strict";
import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { rootDirectory } from "../workspace.mjs";
import { createFlag, waitForFlag } from "./flags.mjs";

const ADMIN_TOKEN = "*:*.admin-token-of-the-image-test";
const CLIENT_TOKEN = "*:production.client-token-of-the-image-test";
const CLIENT_KEY = "client-key-of-the-image-test";
const FLAG = "image-flag";
const ADMIN_URL = "http://127.0.0.1:4242";
const PROXY_URL = "http://127.0.0.1:3000/proxy";
const UID = 65532;
const MAX_STOP_MS = 10_000;
const TIMEOUT_MS = 20_000;
const POLL_MS = 5;

/** An arbitrary user of the root group, as OpenShift runs containers. */
const ARBITRARY_USER = "1000650000:0";

const ADMIN_ENV = {
  HOST: "127.0.0.1",
  INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
  INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
  LOG_LEVEL: "info",
};
const PROXY_ENV = {
  HOST: "127.0.0.1",
  FLAGS_URL: `${ADMIN_URL}/api`,
  FLAGS_API_TOKEN: CLIENT_TOKEN,
  FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
  FLAGS_FETCH_INTERVAL: "200",
};

/** The files import `flags-proxy`, so they have to be below /app. */
const EXTENSIONS = join(rootDirectory, "examples/custom-strategies");

const LIST_PROCESSES = `
  const { readdirSync, readFileSync } = await import("node:fs");
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    const state = /^State:\\s+(\\w)/m.exec(readFileSync("/proc/" + pid + "/status", "utf8"))[1];
    console.log(pid + " " + state + " " + readFileSync("/proc/" + pid + "/cmdline", "utf8").replaceAll("\\0", " "));
  }
`;

/** Runs both commands as the documentation does. */
export async function testCommands(context) {
  await rejectsBadSettings(context);
  await startsAndStops(context);
}

async function rejectsBadSettings({ runtime }) {
  const container = await runtime.start("no-settings");
  assert.equal(await container.exited, 1);
  assert.match(container.output(), /FLAGS_URL/);
}

async function startsAndStops({ image, runtime, directory, report }) {
  const healthcheck = image.config.Healthcheck.Test.slice(1);
  const data = join(directory, "data");
  await mkdir(data);
  await chown(data, UID, UID);
  const startAdmin = (name) =>
    runtime.start(name, {
      command: ["flags-admin"],
      env: ADMIN_ENV,
      mounts: [{ source: data, destination: "/data", writable: true }],
    });

  const waiting = await runtime.start("proxy-waiting", { env: PROXY_ENV });
  await waitForOutput(waiting, /is listening on/);
  assert.equal(waiting.exec(...healthcheck).code, 1, "healthy without an upstream");

  const coldMs = performance.now();
  const admin = await startAdmin("admin");
  await admin.waitFor(...healthcheck);
  const adminMs = performance.now() - coldMs;
  await waiting.waitFor(...healthcheck);
  await createFlag(ADMIN_URL, ADMIN_TOKEN, FLAG);
  await waitForFlag(PROXY_URL, CLIENT_KEY, FLAG);
  await assertStops(waiting);

  const startMs = performance.now();
  const proxy = await runtime.start("proxy", { env: PROXY_ENV, user: ARBITRARY_USER });
  await waitUntilHealthy(`${PROXY_URL}/health`);
  await waitForFlag(PROXY_URL, CLIENT_KEY, FLAG);
  const firstFlagMs = performance.now() - startMs;
  const healthMs = measureMs(() => assert.equal(proxy.exec(...healthcheck).code, 0));

  const stopMs = await assertStops(admin);
  await waitForFlag(PROXY_URL, CLIENT_KEY, FLAG);
  assert.equal(proxy.exec(...healthcheck).code, 0, "unhealthy although it serves flags");
  const again = await startAdmin("admin-again");
  await again.waitFor(...healthcheck);
  await proxy.waitFor(...healthcheck);
  await waitForFlag(PROXY_URL, CLIENT_KEY, FLAG);
  await assertStops(proxy);
  await replacesWorkers({ runtime, report });
  await assertStops(again);
  report(
    `flags-admin healthy after ${inMs(adminMs)} with a new database; first flag ${inMs(firstFlagMs)} after ` +
      `the start of flags-proxy; HEALTHCHECK takes ${inMs(healthMs)}; stopped within ${inMs(stopMs)}`,
  );
}

/** Needs flags-admin. */
async function replacesWorkers({ runtime, report }) {
  const proxy = await runtime.start("proxy-workers", {
    env: {
      ...PROXY_ENV,
      FLAGS_PROXY_WORKERS: "2",
      FLAGS_CUSTOM_STRATEGIES_FILE: "/app/extensions/email-domain.mjs",
    },
    mounts: [{ source: EXTENSIONS, destination: "/app/extensions" }],
  });
  await proxy.waitFor("flags-proxy", "health");
  const [worker] = listWorkers(proxy);
  proxy.exec("node", "--eval", `process.kill(${worker}, "SIGKILL")`);
  const deadlineMs = performance.now() + MAX_STOP_MS;
  let workers = [];
  do {
    assert.ok(performance.now() < deadlineMs, `The worker was not replaced: ${workers.join()}`);
    workers = listWorkers(proxy);
  } while (workers.length < 2 || workers.includes(worker));
  const zombies = listProcesses(proxy).filter(({ state }) => state === "Z");
  assert.deepEqual(zombies, []);
  await proxy.waitFor("flags-proxy", "health");
  await assertStops(proxy);
  report("process 1 reaped a worker that was killed, replaced it, and stopped both on SIGTERM");
}

function listWorkers(container) {
  return listProcesses(container)
    .filter(({ command, state }) => state !== "Z" && command.includes("flags-proxy-worker"))
    .map(({ pid }) => pid);
}

function listProcesses(container) {
  const { code, output } = container.exec("node", "--input-type=module", "--eval", LIST_PROCESSES);
  assert.equal(code, 0, output);
  return output.split("\n").map((line) => {
    const [pid, state, ...command] = line.split(" ");
    return { pid: Number(pid), state, command: command.join(" ") };
  });
}

/** Stops a container with SIGTERM and returns how long that took. */
async function assertStops(container) {
  const { code, elapsedMs } = await container.stop();
  assert.equal(code, 0, `${container.name} exited with ${code}`);
  assert.ok(elapsedMs < MAX_STOP_MS, `${container.name} stopped after ${inMs(elapsedMs)}`);
  return elapsedMs;
}

async function waitForOutput(container, pattern) {
  await waitUntil(
    () => pattern.test(container.output()),
    () => `${container.name} did not write ${pattern}`,
  );
}

async function waitUntilHealthy(url) {
  await waitUntil(
    async () => (await fetch(url).catch(() => undefined))?.ok,
    () => `${url} is not healthy`,
  );
}

async function waitUntil(condition, describe) {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadlineMs, describe());
    await delay(POLL_MS);
  }
}

function measureMs(action) {
  const startMs = performance.now();
  action();
  return performance.now() - startMs;
}

function inMs(ms) {
  return `${ms.toFixed(0)} ms`;
}
