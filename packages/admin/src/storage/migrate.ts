import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { type Database, rowsOf } from "./database.ts";
import { isTimeout } from "./errors.ts";
import { lockFor } from "./transactions.ts";
import { initialSchema } from "./migrations/0001-initial-schema.ts";
import { initialData } from "./migrations/0002-initial-data.ts";
import { usage } from "./migrations/0003-usage.ts";
import { sessions } from "./migrations/0004-sessions.ts";
import { variantsFieldsInstances } from "./migrations/0005-variants-fields-instances.ts";
import { indexesOfEvents } from "./migrations/0006-indexes-of-events.ts";
import { deletedTokens } from "./migrations/0007-deleted-tokens.ts";
import { lastUseOfSessions } from "./migrations/0008-last-use-of-sessions.ts";
import { defaultStrategies } from "./migrations/0009-default-strategies.ts";
import { authorsAndEnvironmentsOfEvents } from "./migrations/0010-authors-and-environments-of-events.ts";
import { accounts, sessionsOfAccounts } from "./migrations/0011-accounts.ts";
import { usageByDay } from "./migrations/0013-usage-by-day.ts";
import { unknownFlags } from "./migrations/0014-unknown-flags.ts";
import { changeRequests } from "./migrations/0015-change-requests.ts";
import { namesAndLinksOfProjects } from "./migrations/0016-names-and-links-of-projects.ts";
import { favoritesAndLinks } from "./migrations/0017-favorites-and-links.ts";
import { rolloutPlans } from "./migrations/0018-rollout-plans.ts";
import { lifecycles } from "./migrations/0019-lifecycles.ts";
import { usageByEnvironment } from "./migrations/0020-usage-by-environment.ts";
import { eventsOfChangeRequests } from "./migrations/0021-events-of-change-requests.ts";
import { notifications } from "./migrations/0022-notifications.ts";
import { approvalsOfAppliedRequests } from "./migrations/0023-approvals-of-applied-requests.ts";
import type { Migration } from "./migrations/migration.ts";

/** All migrations, in order. */
export const MIGRATIONS: readonly Migration[] = [
  initialSchema,
  initialData,
  usage,
  sessions,
  variantsFieldsInstances,
  indexesOfEvents,
  deletedTokens,
  lastUseOfSessions,
  defaultStrategies,
  authorsAndEnvironmentsOfEvents,
  accounts,
  sessionsOfAccounts,
  usageByDay,
  unknownFlags,
  changeRequests,
  namesAndLinksOfProjects,
  favoritesAndLinks,
  rolloutPlans,
  lifecycles,
  usageByEnvironment,
  eventsOfChangeRequests,
  notifications,
  approvalsOfAppliedRequests,
];

/** The schema version that this program uses. */
export const SCHEMA_VERSION: number = latestVersion(MIGRATIONS);

/** A newer version of this program has migrated the database, which this version cannot undo. */
export class SchemaTooNewError extends Error {
  override readonly name = "SchemaTooNewError";

  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}, and this program supports versions up to ${known}: ` +
        "run the newer version of the program, or restore a backup from before its migration",
    );
  }
}

/** How long the statements of a migration wait for a table, while all reads of that table wait behind them. */
const LOCK_TIMEOUT = "1s";

interface MigrateOptions {
  /** How long to wait before each new attempt to lock a table that others use. @default 150 times 2 s: five minutes */
  readonly retryDelaysMs?: readonly number[];
}

const RETRY_DELAYS_MS: readonly number[] = Array.from({ length: 150 }, () => 2000);

/**
 * Applies all pending migrations, each in a transaction of its own: the locks of a fast one must not be held during a slow
 * one. Several processes may do this concurrently: an advisory lock runs the migrations one after the other. If the
 * process ends before the last one, the next start continues.
 *
 * @throws {SchemaTooNewError} if the database has a newer schema version
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[] = MIGRATIONS,
  { retryDelaysMs = RETRY_DELAYS_MS }: MigrateOptions = {},
): Promise<void> {
  const delaysMs = retryDelaysMs.values();
  let isComplete = false;
  while (!isComplete) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- in order
      isComplete = await applyNext(db, migrations);
    } catch (error) {
      const { value: delayMs } = delaysMs.next();
      if (delayMs === undefined || !isTimeout(error)) throw error;
      // oxlint-disable-next-line no-await-in-loop -- others can use the table in the meantime
      await delay(delayMs);
    }
  }
}

/** Applies the first pending migration. Returns whether it was the last one. */
function applyNext(db: Database, migrations: readonly Migration[]): Promise<boolean> {
  return db.transaction(
    async (transaction) => {
      // NOTE: a limit of the database for statements would end a slow one again and again.
      await transaction.execute(sql`set local statement_timeout = 0`);
      await transaction.execute(lockFor("migrate"));
      await transaction.execute(sql`
        create table if not exists schema_versions (
          version integer primary key,
          name text not null,
          applied_at timestamptz not null default now()
        )`);
      const current = await readSchemaVersion(transaction);
      const known = latestVersion(migrations);
      if (current > known) throw new SchemaTooNewError(current, known);
      const next = migrations.find(({ version }) => version > current);
      // NOTE: not for the advisory lock: another process may need long for its migration.
      await transaction.execute(sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`));
      if (next !== undefined) await apply(transaction, next);
      return next === undefined || next.version === known;
    },
    {
      // Otherwise the default of the database, with which a process may not see what was committed while it waited.
      isolationLevel: "read committed",
      accessMode: "read write",
    },
  );
}

function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Reads the version of the last applied migration; 0 for an empty database. */
export async function readSchemaVersion(db: Database): Promise<number> {
  const [table] = rowsOf(await db.execute(sql`select to_regclass('schema_versions') as name`));
  if (table?.["name"] === null) return 0;
  const [row] = rowsOf(
    await db.execute(sql`select coalesce(max(version), 0)::int as version from schema_versions`),
  );
  return Number(row?.["version"]);
}

async function apply(db: Database, { version, name, statements }: Migration): Promise<void> {
  for (const statement of statements) await db.execute(sql.raw(statement));
  await db.execute(sql`insert into schema_versions (version, name) values (${version}, ${name})`);
}
