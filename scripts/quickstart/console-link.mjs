import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { rootDirectory } from "../workspace.mjs";
import { adminEnvironment } from "./settings.mjs";

/** The account of whoever runs the quickstart. */
const USER = { username: "demo", name: "Demo", rootRole: "Admin" };

const COMMAND = join(rootDirectory, "packages/admin/bin/flags-admin.js");

/**
 * Creates a link that opens the console signed in, once, and before that the account to which it belongs. Replaces the
 * link of the previous start.
 *
 * @throws {Error} that says why it could not be created
 */
export async function createConsoleLink(admin, settings, keys) {
  await createAccount(admin);
  const args = [COMMAND, "sign-in-link", "--user", USER.username];
  const env = adminEnvironment(settings, keys, process.env);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return stdout.trim();
  } catch (error) {
    throw new Error(error.stderr?.trim() || error.message, { cause: error });
  }
}

async function createAccount(admin) {
  const { users } = await admin.get("/user-admin");
  if (users.some(({ username }) => username?.toLowerCase() === USER.username)) return;
  await admin.post("/user-admin", USER);
}
