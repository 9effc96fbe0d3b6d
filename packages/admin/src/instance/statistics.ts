import { randomUUID } from "node:crypto";
import { and, count, countDistinct, eq, gt, inArray, isNull, or, sql, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import { roleOfType, ROLES } from "../access/role.ts";
import { type Database, firstRow } from "../storage/database.ts";
import { apiTokens, type ApiTokenType, sessions } from "../storage/schema/access.ts";
import { events } from "../storage/schema/events.ts";
import { features } from "../storage/schema/features.ts";
import { installations } from "../storage/schema/installations.ts";
import { contextFields, environments, projects } from "../storage/schema/projects.ts";
import { segments, strategyTypes } from "../storage/schema/strategies.ts";
import { applications } from "../storage/schema/usage.ts";
import type { Storage } from "../storage/storage.ts";
import { version } from "../version.ts";

/**
 * Returns the id of the installation, which a database has for its whole life. The first call creates it, because a
 * database can be a copy of a prepared one.
 */
export async function readInstallationId(storage: Storage): Promise<string> {
  const [found] = await storage.db.select().from(installations);
  if (found !== undefined) return found.id;
  return storage.transact(async (db) => {
    // Another replica may do the same.
    await db.execute(sql`lock table ${installations} in exclusive mode`);
    const [created] = await db.select().from(installations);
    if (created !== undefined) return created.id;
    const id = randomUUID();
    await db.insert(installations).values({ id });
    return id;
  });
}

/** Counts what exists here. */
export async function readStatistics(db: Database) {
  const tokens = await countTokens(db);
  const changes = await countProductionChanges(db);
  return {
    versionOSS: version,
    users: tokens.admin + (await countSignedIn(db, undefined)),
    activeUsers: {
      last7: await countActiveUsers(db, 7),
      last30: await countActiveUsers(db, 30),
      last60: await countActiveUsers(db, 60),
      last90: await countActiveUsers(db, 90),
    },
    productionChanges: changes,
    featureToggles: await countRows(db, features, isNull(features.archivedAt)),
    projects: await countRows(db, projects, isNull(projects.archivedAt)),
    contextFields: await countRows(db, contextFields),
    roles: ROLES.length,
    groups: 0,
    environments: await countRows(db, environments),
    segments: await countRows(db, segments),
    strategies: BUILT_IN_STRATEGY_NAMES.length + (await countRows(db, strategyTypes)),
    clientApps: [
      { range: "allTime", count: await countApplications(db, undefined) },
      { range: "30d", count: await countApplications(db, 30) },
      { range: "7d", count: await countApplications(db, 7) },
    ],
    featureExports: 0,
    featureImports: await countRows(db, events, eq(events.type, "features-imported")),
    apiTokens: tokens,
  };
}

async function countRows(db: Database, table: PgTable, condition?: SQL): Promise<number> {
  const { total } = firstRow(await db.select({ total: count() }).from(table).where(condition));
  return total;
}

function daysAgo(days: number): SQL {
  return sql`now() - make_interval(days => ${days})`;
}

/** Counts the valid tokens: those for the admin API together. */
async function countTokens(db: Database) {
  const isValid = or(isNull(apiTokens.expiresAt), gt(apiTokens.expiresAt, sql`now()`));
  const rows = await db
    .select({ type: apiTokens.type, total: count() })
    .from(apiTokens)
    .where(isValid)
    .groupBy(apiTokens.type);
  const sum = (isCounted: (type: ApiTokenType) => boolean): number =>
    rows.reduce((total, row) => total + (isCounted(row.type) ? row.total : 0), 0);
  return {
    admin: sum((type) => roleOfType(type) !== undefined),
    client: sum((type) => type === "backend"),
    frontend: sum((type) => type === "frontend"),
  };
}

/** Counts the users of OpenID Connect with a session that was used in the last days, or at any time. */
async function countSignedIn(db: Database, days: number | undefined): Promise<number> {
  const { total } = firstRow(
    await db
      .select({ total: countDistinct(sessions.userId) })
      .from(sessions)
      .where(
        and(
          isNull(sessions.tokenId),
          days === undefined
            ? undefined
            : sql`coalesce(${sessions.seenAt}, ${sessions.createdAt}) > ${daysAgo(days)}`,
        ),
      ),
  );
  return total;
}

/** Counts the tokens for the admin API and the users of OpenID Connect that were active in the last days. */
async function countActiveUsers(db: Database, days: number): Promise<number> {
  const condition = and(inArray(apiTokens.type, [...ROLES]), gt(apiTokens.seenAt, daysAgo(days)));
  return (await countRows(db, apiTokens, condition)) + (await countSignedIn(db, days));
}

async function countProductionChanges(db: Database) {
  const production = db
    .select({ name: environments.name })
    .from(environments)
    .where(eq(environments.type, "production"));
  const since = (days: number) =>
    sql<number>`count(*) filter (where ${events.createdAt} > ${daysAgo(days)})`.mapWith(Number);
  return firstRow(
    await db
      .select({ last30: since(30), last60: since(60), last90: since(90) })
      .from(events)
      .where(and(inArray(events.environment, production), gt(events.createdAt, daysAgo(90)))),
  );
}

async function countApplications(db: Database, days: number | undefined): Promise<number> {
  const { total } = firstRow(
    await db
      .select({ total: countDistinct(applications.appName) })
      .from(applications)
      .where(days === undefined ? undefined : gt(applications.lastSeenAt, daysAgo(days))),
  );
  return total;
}
