import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("save-code-cache.mjs", import.meta.url));
const CLIENT_KEY = "client-key";
const TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 5;

const USAGE = { appName: "build", bucket: { toggles: { on: { yes: 1, no: 0 } } } };

/** Contains flags of several kinds, so that the code for all of them runs. */
const DOCUMENT = {
  version: 2,
  segments: [
    { id: 1, constraints: [{ contextName: "region", operator: "IN", values: ["north"] }] },
  ],
  features: [
    { name: "on", enabled: true, strategies: [{ name: "default", parameters: {} }] },
    {
      name: "gradual",
      enabled: true,
      strategies: [
        {
          name: "flexibleRollout",
          parameters: { rollout: "50", stickiness: "default", groupId: "gradual" },
          constraints: [
            { contextName: "userId", operator: "NUM_GT", value: "5" },
            { contextName: "appName", operator: "STR_STARTS_WITH", values: ["a", "b"] },
          ],
          segments: [1],
        },
      ],
      variants: [
        { name: "red", weight: 500, payload: { type: "string", value: "#f00" } },
        { name: "blue", weight: 500 },
      ],
    },
  ],
};

/**
 * Runs the command until V8 has compiled the code that a start and the first requests need, and writes
 * that code to a file next to the bundle.
 */
export async function writeCodeCache() {
  const upstream = await startUpstream();
  const command = startCommand(upstream.url);
  const timeout = setTimeout(() => command.kill("SIGKILL"), TIMEOUT_MS);
  try {
    const [[exitCode]] = await Promise.all([once(command, "exit"), warmUp(command)]);
    if (exitCode !== 0) throw new Error("the command failed while writing it");
  } finally {
    clearTimeout(timeout);
    command.kill("SIGKILL");
    upstream.close();
  }
}

async function startUpstream() {
  const body = JSON.stringify(DOCUMENT);
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "POST") response.writeHead(202).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/api`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
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
    // NOTE: V8 accepts a code cache only under the options under which it was created: the defaults.
    execArgv: [],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
}

async function warmUp(command) {
  const url = await readUrl(command.stdout);
  const headers = { authorization: CLIENT_KEY, "content-type": "application/json" };
  while (!(await fetch(`${url}/health`)).ok) await delay(POLL_INTERVAL_MS);
  await fetch(`${url}?userId=7`, { headers });
  await fetch(`${url}/client/metrics`, { method: "POST", headers, body: JSON.stringify(USAGE) });
  command.send("write");
}

async function readUrl(output) {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("the command exited before it listened");
}
