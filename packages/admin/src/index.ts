export { buildApp } from "./app.ts";
export type { AdminConfig } from "./config/config.ts";
export { serve } from "./start.ts";
export type { RunningAdmin } from "./start.ts";
export { DirectoryInUseError } from "flags-server-kit";
export { SchemaTooNewError } from "./storage/migrate.ts";
export { openStorage } from "./storage/open-storage.ts";
export type {
  Storage,
  StorageLogger,
  StorageOptions,
  WriteTransaction,
} from "./storage/storage.ts";
