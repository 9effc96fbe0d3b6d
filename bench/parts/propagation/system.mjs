import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAdminClient } from "../../../scripts/quickstart/admin-client.mjs";
import { startServer } from "../../lib/servers.mjs";
import { startOurs } from "../../peers/peers.mjs";

const COMMAND = fileURLToPath(
  new URL("../../../packages/admin/bin/flags-admin.js", import.meta.url),
);
const PROBE = new URL("../../lib/event-loop-probe.mjs", import.meta.url);
const ADMIN_TOKEN = "*:*.bench-admin-token";
const PROXY_TOKEN = "*:development.bench-proxy-token";
const FEATURES = "/projects/default/features";
/** Rollouts by user id: each user gets another body, so that no two streams can share one. */
const ROLLOUT_COUNT = 20;
const ROLLOUT = { rollout: "50", stickiness: "userId" };

/**
 * Starts the admin service, with an embedded database, and creates the flags.
 *
 * @returns `startProxy`, which starts a proxy of that service, `toggleFlag`, and `stop`
 */
export async function startSystem() {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  const service = await startServer((port) => ({
    command: process.execPath,
    args: [COMMAND],
    healthPath: "/health",
    env: {
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: directory,
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: PROXY_TOKEN,
    },
  }));
  const origin = `http://127.0.0.1:${service.port}`;
  const admin = createAdminClient(origin, ADMIN_TOKEN);
  await createFlags(admin);
  let isOn = false;
  return {
    startProxy: (env) =>
      startOurs({
        upstreamUrl: `${origin}/api`,
        env: { FLAGS_API_TOKEN: PROXY_TOKEN, ...env },
        probe: PROBE,
      }),
    /** Switches the flag that every user gets; resolves with the response of the service. */
    async toggleFlag() {
      isOn = !isOn;
      await admin.post(`${FEATURES}/toggled/environments/development/${isOn ? "on" : "off"}`);
    },
    async stop() {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function createFlags(admin) {
  await createFlag(admin, "toggled", { name: "default", parameters: {} });
  for (let index = 0; index < ROLLOUT_COUNT; index++) {
    const name = `rollout-${index}`;
    await createFlag(admin, name, {
      name: "flexibleRollout",
      parameters: { ...ROLLOUT, groupId: name },
    });
    await admin.post(`${FEATURES}/${name}/environments/development/on`);
  }
}

async function createFlag(admin, name, strategy) {
  await admin.post(FEATURES, { name, type: "release" });
  await admin.post(`${FEATURES}/${name}/environments/development/strategies`, strategy);
}
