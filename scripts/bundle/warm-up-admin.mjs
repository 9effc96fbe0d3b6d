import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
