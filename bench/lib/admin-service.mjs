import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAdminClient } from "../../scripts/admin-client.mjs";
import { startServer } from "./servers.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export const ADMIN_TOKEN = "*:*.bench-admin-token";

/**
 * Starts flags-admin on a free port.
 *
 * @param env additional settings, at least those of the database
 * @param checkout the directory of another built checkout. @default this one
 * @returns `service` as `startServer()`, `origin`, and `admin`, a client of its API
 */
export async function startAdminService(env, checkout = ROOT) {
  const command = join(checkout, "packages", "admin", "bin", "flags-admin.js");
  const service = await startServer((port) => ({
    command: process.execPath,
    args: [command],
    healthPath: "/ready",
    env: { HOST: "127.0.0.1", PORT: String(port), INIT_ADMIN_API_TOKENS: ADMIN_TOKEN, ...env },
  }));
  const origin = `http://127.0.0.1:${service.port}`;
  return { service, origin, admin: createAdminClient(origin, ADMIN_TOKEN) };
}
