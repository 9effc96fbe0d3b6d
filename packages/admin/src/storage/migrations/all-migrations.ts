import { initialSchema } from "./0001-initial-schema.ts";
import { initialData } from "./0002-initial-data.ts";
import { usage } from "./0003-usage.ts";
import type { Migration } from "./migration.ts";

/** Every step of the schema, in order. */
export const ALL_MIGRATIONS: readonly Migration[] = [initialSchema, initialData, usage];
