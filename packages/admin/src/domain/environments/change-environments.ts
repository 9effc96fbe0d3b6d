import { count, eq } from "drizzle-orm";
import { badData, exceedsLimit, invalidOperation, mustExist, quoteNames } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/access.ts";
import { environments, projectEnvironments } from "../../storage/schema/projects.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { CreateEnvironment, UpdateEnvironment } from "./schemas.ts";
import {
  checkNameIsAvailable,
  type Environment,
  getEnvironment,
  listEnvironments,
} from "./store.ts";

/**
 * Creates an environment without projects.
 *
 * @throws {ApiError} if the name is reserved or taken, or there are too many environments
 */
export async function createEnvironment(
  { db, record }: WriteTransaction,
  { name, type, enabled, sortOrder, ...protection }: CreateEnvironment,
): Promise<Environment> {
  await checkNameIsAvailable(db, name);
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
        ...toProtection(UNPROTECTED, protection),
      })
      .returning(),
  );
  await record({ type: "environment-created", environment: name, after: created });
  return created;
}

type Protected = Pick<Environment, "protection" | "requiredApprovals">;

const UNPROTECTED: Protected = { protection: "none", requiredApprovals: null };

/**
 * Returns the protection after a change. Tools that know only the number of approvals send it alone: then a number
 * implies the protection, and null ends it.
 *
 * @throws {ApiError} if the two contradict each other
 */
function toProtection(
  { protection: previous, requiredApprovals: previousApprovals }: Protected,
  { protection, requiredApprovals }: Pick<UpdateEnvironment, "protection" | "requiredApprovals">,
): Protected {
  const isNumber = typeof requiredApprovals === "number";
  if (protection === undefined) {
    if (isNumber) return { protection: "approvals", requiredApprovals };
    const ends = requiredApprovals === null && previous === "approvals";
    return ends ? UNPROTECTED : { protection: previous, requiredApprovals: previousApprovals };
  }
  if (protection === "approvals") {
    return { protection, requiredApprovals: requiredApprovals ?? previousApprovals ?? 1 };
  }
  if (isNumber) {
    throw badData("/body/requiredApprovals", "must be null unless the protection is `approvals`");
  }
  return { protection, requiredApprovals: null };
}

/** Replaces the properties that the body contains. The others stay unchanged. */
export async function updateEnvironment(
  { db, record }: WriteTransaction,
  name: string,
  { type, sortOrder, ...protection }: UpdateEnvironment,
): Promise<Environment> {
  const before = await getEnvironment(db, name);
  const after = {
    ...before,
    ...(type !== undefined && { type }),
    ...(sortOrder !== undefined && { sortOrder }),
    ...toProtection(before, protection),
  };
  await db.update(environments).set(after).where(eq(environments.name, name));
  await record({ type: "environment-updated", environment: name, before, after });
  return after;
}

/**
 * Sets the sort orders of some environments.
 *
 * @throws {ApiError} if one of them does not exist
 */
export async function sortEnvironments(
  transaction: WriteTransaction,
  sortOrders: Readonly<Record<string, number>>,
): Promise<void> {
  const known = new Set((await listEnvironments(transaction.db)).map(({ name }) => name));
  for (const [name, sortOrder] of Object.entries(sortOrders)) {
    if (!known.has(name)) throw mustExist("/body", "environment", name);
    // oxlint-disable-next-line no-await-in-loop -- a transaction runs one statement at a time
    await updateEnvironment(transaction, name, { sortOrder });
  }
}

/** Enables or disables an environment. New projects do not include disabled environments. */
export async function switchEnvironment(
  { db, record }: WriteTransaction,
  name: string,
  enabled: boolean,
): Promise<void> {
  const before = await getEnvironment(db, name);
  if (before.enabled === enabled) return;
  const after = { ...before, enabled };
  await db.update(environments).set({ enabled }).where(eq(environments.name, name));
  await record({
    type: enabled ? "environment-enabled" : "environment-disabled",
    environment: name,
    before,
    after,
  });
}

/**
 * Deletes an environment that no project and no token uses.
 *
 * @throws {ApiError} if it is unknown or in use
 */
export async function deleteEnvironment(
  { db, record }: WriteTransaction,
  name: string,
): Promise<void> {
  const before = await getEnvironment(db, name);
  await checkIsUnused(db, name);
  await db.delete(environments).where(eq(environments.name, name));
  await record({ type: "environment-deleted", environment: name, before });
}

/** NOTE: archived projects count: their flags would lose their strategies, and could be revived. */
async function checkIsUnused(db: Database, name: string): Promise<void> {
  const usingProjects = await db
    .select({ id: projectEnvironments.project })
    .from(projectEnvironments)
    .where(eq(projectEnvironments.environment, name));
  if (usingProjects.length > 0) {
    const ids = quoteNames(usingProjects.map(({ id }) => id));
    throw invalidOperation(
      `The environment ${JSON.stringify(name)} is part of projects: remove it from ${ids} first. An archived project has to be revived for that`,
    );
  }
  const usingTokens = await db
    .select({ name: apiTokens.name })
    .from(apiTokens)
    .where(eq(apiTokens.environment, name));
  if (usingTokens.length > 0) {
    const names = quoteNames(usingTokens.map((token) => token.name));
    throw invalidOperation(
      `There are API tokens for the environment ${JSON.stringify(name)}: delete ${names} first`,
    );
  }
}
