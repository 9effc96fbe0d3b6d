import { startAdminService } from "../../lib/admin-service.mjs";
import { startPostgres } from "../../lib/postgres.mjs";

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
  const services = [];
  for (let index = 0; index < replicaCount; index++) {
    const started = await startAdminService({
      DATABASE_URL: postgres.databaseUrl,
      INIT_CLIENT_API_TOKENS: SDK_HEADERS.authorization,
    });
    services.push(started);
  }
  const replicas = services.map(({ service, origin, admin }) => {
    const toggle = (index, isOn) =>
      admin.post(
        `/projects/default/features/${nameOf(index)}/environments/${ENVIRONMENT}/${isOn ? "on" : "off"}`,
      );
    return { origin, admin, pid: service.child.pid, toggle };
  });
  await replicas[0].admin.post("/projects/default/import", createFile(flagCount));
  return {
    replicas,
    async stop() {
      for (const { service } of services) await service.stop();
      await postgres.stop();
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
