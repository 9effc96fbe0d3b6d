import { UnleashClient } from "unleash-proxy-client";
import { createAdminClient } from "../admin-client.mjs";

const PROJECT = "/projects/default/features";
const ENVIRONMENT = "production";
const TIMEOUT_MS = 20_000;

/** Creates a flag that is on for everyone in the production environment. */
export async function createFlag(origin, token, name) {
  const admin = createAdminClient(origin, token);
  const environment = `${PROJECT}/${name}/environments/${ENVIRONMENT}`;
  await admin.post(PROJECT, { name, type: "release" });
  await admin.post(`${environment}/strategies`, { name: "default" });
  await admin.post(`${environment}/on`);
}

/** Resolves when the official client for browsers evaluates the flag as on. */
export async function waitForFlag(url, clientKey, name) {
  const client = new UnleashClient({
    url,
    clientKey,
    appName: "image-test",
    refreshInterval: 0.1,
    disableMetrics: true,
    storageProvider: { save: async () => {}, get: async () => undefined },
  });
  let timeout;
  try {
    const isOn = new Promise((resolve, reject) => {
      timeout = setTimeout(
        () => reject(new Error(`${name} is not on at ${url} after ${TIMEOUT_MS} ms`)),
        TIMEOUT_MS,
      );
      const check = () => {
        if (client.isEnabled(name)) resolve();
      };
      client.on("ready", check);
      client.on("update", check);
      client.on("error", reject);
    });
    // NOTE: a client that is stopped while it starts continues to poll.
    await Promise.all([isOn, client.start()]);
  } finally {
    clearTimeout(timeout);
    client.stop();
  }
}
