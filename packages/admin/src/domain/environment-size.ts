import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import { unionAll, type PgColumn } from "drizzle-orm/pg-core";
import { ApiError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Database } from "../storage/database.ts";
import { featureEnvironments, features } from "../storage/schema/features.ts";
import { strategies } from "../storage/schema/strategies.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * Checks an environment after strategies or variants were added to it: SDKs and proxies read all of its flags at once,
 * and reject a document that is too large.
 *
 * @param environment @default all environments
 * @throws {ApiError} if the strategies and variants of its active flags are too large together
 */
export async function checkEnvironmentSize(db: Database, environment?: string): Promise<void> {
  const { constraints, parameters, variants } = strategies;
  const isChecked = (column: PgColumn) =>
    and(
      isNull(features.archivedAt),
      environment === undefined ? undefined : eq(column, environment),
    );
  const sizes = unionAll(
    db
      .select({
        environment: strategies.environment,
        bytes: sizeOf(constraints, parameters, variants),
      })
      .from(strategies)
      .innerJoin(features, eq(features.name, strategies.feature))
      .where(isChecked(strategies.environment)),
    db
      .select({
        environment: featureEnvironments.environment,
        bytes: sizeOf(featureEnvironments.variants),
      })
      .from(featureEnvironments)
      .innerJoin(features, eq(features.name, featureEnvironments.feature))
      .where(isChecked(featureEnvironments.environment)),
  ).as("sizes");
  const [exceeded] = await db
    .select({ environment: sizes.environment })
    .from(sizes)
    .groupBy(sizes.environment)
    .having(sql`sum(${sizes.bytes}) > ${LIMITS.environmentBytes}`)
    .limit(1);
  if (exceeded !== undefined) throw tooLarge(exceeded.environment);
}

function tooLarge(environment: string): ApiError {
  return new ApiError(
    "ExceedsLimitError",
    `The strategies and variants of all flags in the environment ${JSON.stringify(environment)} can have at most ${LIMITS.environmentBytes / MEBIBYTE} MiB: use fewer or shorter values`,
  );
}

/**
 * Checks that copies of a strategy alone are not too large for an environment, before they take memory.
 *
 * @throws {ApiError} if they are too large
 */
export function checkAddedSize(environment: string, strategy: object, copies: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(strategy)) * copies;
  // Of small strategies, only a part of these bytes counts.
  if (bytes > 2 * LIMITS.environmentBytes) throw tooLarge(environment);
}

/** Whether a change can exceed the limit. An environment that already exceeds it must be able to shrink. */
export function isLarger(after: unknown, before: unknown): boolean {
  return JSON.stringify(after).length > JSON.stringify(before).length;
}

/** Values below this size are stored uncompressed, so that their size is known without reading them. */
const COMPRESSED_FROM_BYTES = 1000;

function sizeOf(...columns: readonly PgColumn[]): SQL.Aliased<number> {
  const sizes = columns.map(
    (column) => sql`case
      when pg_column_size(${column}) < ${COMPRESSED_FROM_BYTES} then pg_column_size(${column})
      else octet_length(${column}::text)
    end`,
  );
  return sql<number>`(${sql.join(sizes, sql` + `)})`.as("bytes");
}
