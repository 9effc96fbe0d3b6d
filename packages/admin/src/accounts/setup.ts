import { gt, sql } from "drizzle-orm";
import type { Account } from "../access/account.ts";
import { hasAdminToken } from "../access/create-configured-tokens.ts";
import { ApiError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { setupCodes } from "../storage/schema/accounts.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { toPageUrl } from "./page-url.ts";
import { createSecret, hashSecret } from "./user-links.ts";
import { createUser, hasAdmin, type NewUser, prepareUser } from "./user-store.ts";

const CODE_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Whether nobody can administer the service, apart from users of OpenID Connect. */
export async function isSetupOpen(db: Database): Promise<boolean> {
  return !(await hasAdmin(db)) && !(await hasAdminToken(db));
}

/**
 * Creates a code with which the first admin creates an account. It replaces the previous one.
 *
 * @throws {ApiError} 409 if there is an admin
 */
export async function createSetupCode({ db }: WriteTransaction): Promise<string> {
  if (!(await isSetupOpen(db))) throw setUp();
  const code = createSecret();
  await db.delete(setupCodes);
  await db.insert(setupCodes).values({
    secretHash: hashSecret(code),
    expiresAt: new Date(Date.now() + CODE_HOURS * HOUR_MS),
  });
  return code;
}

/**
 * Returns the line that tells the operator a code.
 *
 * @param url address at which browsers reach the service
 */
export function describeSetup(url: string, code: string): string {
  return `Set up the first account at ${toPageUrl(url, `/setup#${code}`)}\n`;
}

/** At the start: creates a code if the service is to be set up and there is none. */
export function offerSetup(storage: Pick<Storage, "write">): Promise<string | undefined> {
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    const open = await transaction.db
      .select({ hash: setupCodes.secretHash })
      .from(setupCodes)
      .where(gt(setupCodes.expiresAt, sql`now()`));
    return open.length > 0 ? undefined : createSetupCode(transaction);
  });
}

/**
 * Creates the first account with a code.
 *
 * @throws {ApiError} 401 if the code is wrong or has expired; 409 if there is an admin
 */
export async function setUpWith(
  storage: Pick<Storage, "db" | "write">,
  code: string,
  user: Omit<NewUser, "role">,
): Promise<Account> {
  await checkCode(storage.db, code);
  const prepared = await prepareUser({ ...user, role: "admin" });
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    // NOTE: again, because changes of all replicas run one at a time, and another one may have been first.
    await checkCode(transaction.db, code);
    const created = await createUser(transaction, prepared);
    await transaction.db.delete(setupCodes);
    return created;
  });
}

async function checkCode(db: Database, code: string): Promise<void> {
  if (!(await isSetupOpen(db))) throw setUp();
  const rows = await db
    .select()
    .from(setupCodes)
    .where(gt(setupCodes.expiresAt, sql`now()`));
  if (rows.some(({ secretHash }) => secretHash === hashSecret(code))) return;
  throw new ApiError(
    "UnauthorizedError",
    "The setup code is wrong or has expired: run `flags-admin setup-code` for a new one",
  );
}

function setUp(): ApiError {
  return new ApiError("ConflictError", "The service has an admin already: sign in, or ask them");
}

/** At the start: creates the configured admin if nobody with an account is an admin. Returns whether it was created. */
export async function createConfiguredAdmin(
  storage: Pick<Storage, "db" | "write">,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<boolean> {
  if (await hasAdmin(storage.db)) return false;
  const prepared = await prepareUser({ username, password, role: "admin" });
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    // NOTE: again, because another replica may have been first.
    if (await hasAdmin(transaction.db)) return false;
    await createUser(transaction, prepared);
    return true;
  });
}
