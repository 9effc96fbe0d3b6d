import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** A database, or a transaction in it: PostgreSQL and the embedded one look the same. */
export type Database = PgDatabase<PgQueryResultHKT>;
