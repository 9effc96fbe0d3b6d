import { and, count, eq, isNull, sql, type SQL } from "drizzle-orm";
import { unionAll, type PgColumn } from "drizzle-orm/pg-core";
import { MAX_INLINED_LENGTH } from "flags-engine";
import { ApiError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type Database, isOneOf } from "../storage/database.ts";
import { featureEnvironments, features } from "../storage/schema/features.ts";
import { segments, strategies, strategySegments } from "../storage/schema/strategies.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * Checks an environment after strategies or variants were added to it: SDKs and proxies read all of its flags at once,
 * and reject a document that is too large.
 *
 * @param environment @default all environments
 * @throws {ApiError} if the strategies and variants of its active flags are too large together, or would be with the
 *   constraints of their segments
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
  await checkInlinedSize(db, environment === undefined ? undefined : [environment]);
}

/**
 * Checks what SDKs receive that do not support segments: each strategy repeats the constraints of its segments. Call it
 * after segments became larger or were added to strategies.
 *
 * @param environments @default all environments
 * @throws {ApiError} if the service would refuse to repeat the segments
 */
export async function checkInlinedSize(
  db: Database,
  environments?: readonly string[],
): Promise<void> {
  const uses = await db
    .select({
      environment: strategies.environment,
      segment: strategySegments.segment,
      strategies: count(),
    })
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(
      and(
        isNull(features.archivedAt),
        environments === undefined ? undefined : isOneOf(strategies.environment, environments),
      ),
    )
    .groupBy(strategies.environment, strategySegments.segment);
  if (uses.length === 0) return;
  const bytesOf = await readSegmentSizes(
    db,
    uses.map(({ segment }) => segment),
  );
  const totals = new Map<string, number>();
  for (const { environment, segment, strategies: copies } of uses) {
    const bytes = copies * (bytesOf.get(segment) ?? 0);
    totals.set(environment, (totals.get(environment) ?? 0) + bytes);
  }
  for (const [environment, bytes] of totals) {
    if (bytes > MAX_INLINED_LENGTH) throw inlinesTooMuch(environment, bytes);
  }
}

/**
 * NOTE: not `pg_column_size()`, which can be less. The text has at least as many bytes as the JSON that SDKs receive has
 * characters.
 */
async function readSegmentSizes(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .select({
      id: segments.id,
      bytes: sql`octet_length(${segments.constraints}::text)`.mapWith(Number),
    })
    .from(segments)
    .where(isOneOf(segments.id, [...new Set(ids)]));
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

function inlinesTooMuch(environment: string, bytes: number): ApiError {
  return new ApiError(
    "ExceedsLimitError",
    `SDKs that do not support segments could not receive the flags of the environment ${JSON.stringify(environment)}: each strategy would repeat its segments, ${formatMebibytes(bytes)} in total, and ${formatMebibytes(MAX_INLINED_LENGTH)} are possible. Use the segments in fewer strategies, or shorten their lists`,
  );
}

/** Rounds up, so that what exceeds a limit does not look like the limit. */
export function formatMebibytes(bytes: number): string {
  return `${Math.ceil((bytes / MEBIBYTE) * 10) / 10} MiB`;
}

function tooLarge(environment: string): ApiError {
  return new ApiError(
    "ExceedsLimitError",
    `The strategies and variants of all flags in the environment ${JSON.stringify(environment)} can have at most ${formatMebibytes(LIMITS.environmentBytes)}: use fewer or shorter values`,
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
