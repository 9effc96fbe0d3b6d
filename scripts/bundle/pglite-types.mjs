// What the driver of Drizzle for PGlite imports from PGlite.

/** Object ids of types in the catalog of PostgreSQL. */
export const types = { DATE: 1082, TIMESTAMP: 1114, TIMESTAMPTZ: 1184, INTERVAL: 1186 };

/** The driver always receives an open database. */
export const PGlite = undefined;
