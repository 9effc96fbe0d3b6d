import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const CLIENT_KEY = "client-key";
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

/** Starts `flags-proxy` with an upstream, and sends it requests before the cache is written. */
export async function warmUpProxy(start) {
  const upstream = await startUpstream();
  try {
    const { url, writeCodeCache } = await start({
      FLAGS_URL: upstream.url,
      FLAGS_API_TOKEN: "upstream-token",
      FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
    });
    const headers = { authorization: CLIENT_KEY, "content-type": "application/json" };
    while (!(await fetch(`${url}/health`)).ok) await delay(POLL_INTERVAL_MS);
    await fetch(`${url}?userId=7`, { headers });
    await fetch(`${url}/client/metrics`, { method: "POST", headers, body: JSON.stringify(USAGE) });
    await writeCodeCache();
  } finally {
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

const ADMIN_TOKEN = "*:*.the-admin-of-the-build";
const BACKEND_TOKEN = "*:development.the-backend-of-the-build";

/** Starts `flags-admin` with a new embedded database, and sends it requests before the cache is written. */
export async function warmUpAdmin(start) {
  const directory = await mkdtemp(join(tmpdir(), "flags-build-"));
  try {
    const { url, writeCodeCache } = await start({
      DATA_DIR: directory,
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
    });
    await fetch(`${url}/admin/projects/default/features`, {
      method: "POST",
      headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
      body: JSON.stringify({ name: "flag" }),
    });
    await fetch(`${url}/client/features`, { headers: { authorization: BACKEND_TOKEN } });
    await writeCodeCache();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
