/**
 * One change of the schema. A released migration never changes; add a new one instead.
 *
 * NOTE: only add tables, indexes, and columns that are nullable or have a default. During a rolling upgrade,
 * replicas of the previous version keep writing to the migrated database.
 */
export interface Migration {
  /** Numbered from 1 without gaps. */
  readonly version: number;
  readonly name: string;
  /** Sent one by one, because the embedded database accepts one statement per call. */
  readonly statements: readonly string[];
}
