import { count, eq } from "drizzle-orm";
import { badData, exceedsLimit, nameExists } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { environments } from "../../storage/schema/environments.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type Environment, findEnvironment, getEnvironment } from "./find-environments.ts";
import type { CreateEnvironment } from "./schemas.ts";

/** Words that follow `/environments/` in paths of their own. */
const RESERVED_NAMES = new Set(["project", "sort-order", "validate"]);

export async function createEnvironment(
  { db, record }: WriteTransaction,
  { name, type, enabled, sortOrder }: CreateEnvironment,
): Promise<Environment> {
  await checkNameIsFree(db, name);
  const { total } = firstRow(await db.select({ total: count() }).from(environments));
  if (total >= LIMITS.environments) throw exceedsLimit("environments", LIMITS.environments);
  const created = firstRow(
    await db
      .insert(environments)
      .values({
        name,
        type,
        ...(enabled !== undefined && { enabled }),
        ...(sortOrder !== undefined && { sortOrder }),
      })
      .returning(),
  );
  await record({ type: "environment-created", environment: name, after: created });
  return created;
}

/**
 * @throws {ApiError} when there is one of that name, or the name has a meaning in paths
 */
export async function checkNameIsFree(db: Database, name: string): Promise<void> {
  if (RESERVED_NAMES.has(name)) {
    throw badData("/body/name", "is a word with a meaning in paths: choose another");
  }
  if ((await findEnvironment(db, name)) !== undefined) {
    throw nameExists(`There is an environment ${JSON.stringify(name)}`);
  }
}

/** An environment that is off is not offered to new projects; its features stay as they are. */
export async function switchEnvironment(
  { db, record }: WriteTransaction,
  name: string,
  enabled: boolean,
): Promise<void> {
  const before = await getEnvironment(db, name);
  if (before.enabled === enabled) return;
  const after = firstRow(
    await db.update(environments).set({ enabled }).where(eq(environments.name, name)).returning(),
  );
  await record({
    type: enabled ? "environment-enabled" : "environment-disabled",
    environment: name,
    before,
    after,
  });
}
