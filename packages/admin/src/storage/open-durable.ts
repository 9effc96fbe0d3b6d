import { PGlite } from "@electric-sql/pglite";
import { DurableFileSystem, type SyncFile } from "./durable-file-system.ts";

/** Opens PGlite so that what it has answered to survives a power cut. */
export function openDurable(directory: string, syncFile?: SyncFile): Promise<PGlite> {
  return PGlite.create({
    fs: new DurableFileSystem(directory, syncFile),
    startParams: startParameters(),
  });
}

/** PGlite switches `fsync` off with -F. The log is synced with `fsync`: `fdatasync` does nothing. */
function startParameters(): string[] {
  const others = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
  return [...others, "-c", "wal_sync_method=fsync"];
}
