import { fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startUpstream } from "./upstream.mjs";

const PROGRAM = fileURLToPath(new URL("run-and-keep-code.mjs", import.meta.url));
const CLIENT_KEY = "client-key";
const USAGE = { appName: "build", bucket: { toggles: { on: { yes: 1, no: 0 } } } };
const LIMIT_MS = 10_000;
const POLL_MS = 5;

/**
 * Runs the command until V8 has compiled what a start and the first requests need, and writes that
 * beside the bundle.
 */
export async function writeCode() {
  const upstream = await startUpstream();
  const command = startCommand(upstream.url);
  const limit = setTimeout(() => command.kill("SIGKILL"), LIMIT_MS);
  try {
    const [[exitCode]] = await Promise.all([once(command, "exit"), warmUp(command)]);
    if (exitCode !== 0) throw new Error("the command failed while its code was written");
  } finally {
    clearTimeout(limit);
    command.kill("SIGKILL");
    upstream.close();
  }
}

function startCommand(upstreamUrl) {
  return fork(PROGRAM, [], {
    env: {
      HOST: "127.0.0.1",
      PORT: "0",
      FLAGS_URL: upstreamUrl,
      FLAGS_API_TOKEN: "upstream-token",
      FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
    },
    // NOTE: V8 takes code only under the options that it was made under: those of a plain start.
    execArgv: [],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
}

async function warmUp(command) {
  const url = await readUrl(command.stdout);
  const headers = { authorization: CLIENT_KEY, "content-type": "application/json" };
  while (!(await fetch(`${url}/health`)).ok) await delay(POLL_MS);
  await fetch(`${url}?userId=7`, { headers });
  await fetch(`${url}/client/metrics`, { method: "POST", headers, body: JSON.stringify(USAGE) });
  command.send("write");
}

async function readUrl(output) {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("the command ended before it listened");
}
