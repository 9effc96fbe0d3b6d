import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAdminService } from "../../lib/admin-service.mjs";
import { startOurs } from "../../peers/peers.mjs";

const PROBE = new URL("../../lib/event-loop-probe.mjs", import.meta.url);
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
  const { service, origin, admin } = await startAdminService({
    DATA_DIR: directory,
    INIT_CLIENT_API_TOKENS: PROXY_TOKEN,
  });
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
