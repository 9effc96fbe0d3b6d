import { and, count, eq, getTableColumns, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { ProjectAccess } from "../access/project-access.ts";
import { readLifetimes } from "../domain/feature-types.ts";
import { summarize } from "../domain/features/list-features.ts";
import { readLastUses } from "../domain/lifecycle/last-uses.ts";
import { IS_POTENTIALLY_STALE, STARTED_AT } from "../domain/lifecycle/read-lifecycles.ts";
import type { Page } from "../http/parse-filter.ts";
import { type Database, firstRow, orderByText } from "../storage/database.ts";
import { featureEnvironments, features } from "../storage/schema/features.ts";
import { lifecycles, type StaleReason } from "../storage/schema/lifecycles.ts";

/** Which path in the code of the applications stays when a flag is removed. */
interface CodePath {
  readonly path: "disabled" | "enabled" | "unknown" | "variant";
  readonly variant?: string;
}

interface Scope {
  /** Id of a project; undefined for all. */
  readonly project: string | undefined;
  readonly access: ProjectAccess;
  /** Whose favorites are marked; undefined for nobody's. */
  readonly userId: number | undefined;
}

/** Lists the flags that can be removed: stale, potentially stale and completed ones, those that nothing uses first. */
export async function listCleanup(
  db: Database,
  { project, access, userId }: Scope,
  { offset, limit }: Page,
) {
  const condition = and(
    access.isVisible(features.project),
    project === undefined ? undefined : eq(features.project, project),
    isNull(features.archivedAt),
    or(features.stale, IS_POTENTIALLY_STALE, isNotNull(lifecycles.completedAt)),
  );
  const lastSeenAt = sql`(select max(${featureEnvironments.lastSeenAt}) from ${featureEnvironments}
    where ${featureEnvironments.feature} = ${features.name})`;
  const rows = await db
    .select({
      ...getTableColumns(features),
      completedStatus: lifecycles.completedStatus,
      completedValue: lifecycles.completedValue,
      ageDays: sql`extract(epoch from now() - ${STARTED_AT}) / 86400`.mapWith(Number),
    })
    .from(features)
    .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
    .where(condition)
    .orderBy(sql`${lastSeenAt} nulls first`, orderByText(features.name))
    .limit(limit)
    .offset(offset);
  const { total } = firstRow(
    await db
      .select({ total: count() })
      .from(features)
      .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
      .where(condition),
  );
  const summaries = await summarize(db, rows, userId);
  const uses = await readLastUses(
    db,
    rows.map(({ name }) => name),
  );
  const lifetimes = await readLifetimes(db);
  const details = new Map(rows.map((row) => [row.name, row]));
  return {
    total,
    flags: summaries.map((flag) => {
      const { ageDays = 0, completedStatus, completedValue } = details.get(flag.name) ?? {};
      const lifetimeDays = lifetimes.get(flag.type) ?? Infinity;
      return {
        ...flag,
        daysPastLifetime: ageDays > lifetimeDays ? Math.floor(ageDays - lifetimeDays) : null,
        keep:
          completedStatus === "kept" || completedStatus === "discarded"
            ? toCompletedPath(completedStatus === "kept", completedValue ?? null)
            : toCodePath(flag.staleReason),
        lastUse: uses.get(flag.name) ?? null,
      };
    }),
  };
}

function toCompletedPath(isKept: boolean, variant: string | null): CodePath {
  if (!isKept) return { path: "disabled" };
  return variant === null ? { path: "enabled" } : { path: "variant", variant };
}

function toCodePath(reason: StaleReason | null): CodePath {
  const value = reason?.value;
  if (value === undefined) return { path: "unknown" };
  if (value.variant !== undefined) return { path: "variant", variant: value.variant };
  return { path: value.enabled ? "enabled" : "disabled" };
}
