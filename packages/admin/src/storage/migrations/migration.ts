/**
 * One change of the schema. A released migration never changes; add a new one instead:
 *
 * 1. Create a file in this folder, and add it to `MIGRATIONS` in `../migrate.ts`.
 * 2. Declare its tables and columns in `../schema`, in the file of their subject or a new one, and add tables to `../schema/tables.ts`, which says whether backups
 *    contain them. A test compares the declarations with a migrated database.
 * 3. For columns of flags, also change the files in `src/transfer/project-file`.
 *
 * Each migration is a transaction. While it holds the lock of an `alter table`, nobody can read the table: create
 * indexes of existing tables before, or in a migration of its own.
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
