import { fileURLToPath } from "node:url";
import { createAdminClient } from "../../../scripts/quickstart/admin-client.mjs";
import { startPostgres } from "../../lib/postgres.mjs";
import { startServer } from "../../lib/servers.mjs";

const COMMAND = fileURLToPath(
  new URL("../../../packages/admin/bin/flags-admin.js", import.meta.url),
);
const ADMIN_TOKEN = "*:*.the-admin-of-the-benchmark";
const ENVIRONMENT = "development";
export const SDK_HEADERS = {
  authorization: `*:${ENVIRONMENT}.the-sdk-of-the-benchmark`,
  "unleash-client-spec": "5.2.0",
};

/**
 * Starts replicas of the admin service on one PostgreSQL server, with flags.
 *
 * @returns `replicas`, each with `origin`, `pid` and `toggle(index, isOn)`, and `stop`
 */
export async function startSystem({ replicaCount, flagCount }) {
  const postgres = await startPostgres();
  const servers = [];
  for (let index = 0; index < replicaCount; index++) {
    servers.push(await startServer((port) => describe(port, postgres.databaseUrl)));
  }
  const replicas = servers.map(({ port, child }) => {
    const origin = `http://127.0.0.1:${port}`;
    const admin = createAdminClient(origin, ADMIN_TOKEN);
    const toggle = (index, isOn) =>
      admin.post(
        `/projects/default/features/${nameOf(index)}/environments/${ENVIRONMENT}/${isOn ? "on" : "off"}`,
      );
    return { origin, admin, pid: child.pid, toggle };
  });
  await replicas[0].admin.post("/projects/default/import", createFile(flagCount));
  return {
    replicas,
    async stop() {
      for (const server of servers) await server.stop();
      await postgres.stop();
    },
  };
}

function describe(port, databaseUrl) {
  return {
    command: process.execPath,
    args: [COMMAND],
    healthPath: "/ready",
    env: {
      HOST: "127.0.0.1",
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: SDK_HEADERS.authorization,
    },
  };
}

function nameOf(index) {
  return `flag-${String(index).padStart(4, "0")}`;
}

function createFile(flagCount) {
  const features = Array.from({ length: flagCount }, (_, index) => ({
    name: nameOf(index),
    type: "release",
    environments: [
      {
        name: ENVIRONMENT,
        enabled: true,
        strategies: [
          {
            name: "flexibleRollout",
            parameters: { rollout: "50", stickiness: "userId", groupId: nameOf(index) },
            constraints: [{ contextName: "region", operator: "IN", values: ["north", "south"] }],
          },
        ],
      },
    ],
  }));
  return { version: 1, features };
}
