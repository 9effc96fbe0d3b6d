import { PGlite } from "@electric-sql/pglite";
import { DurableFileSystem, type SyncFile } from "./durable-file-system.ts";

export interface DurableOptions {
  /**
   * Called when the database cannot continue, with what it reported last. It must end the process:
   * PGlite never returns from the call that is under way.
   */
  readonly onPanic: (reason: string) => void;
  /** @default `fsync` of the operating system */
  readonly syncFile?: SyncFile;
}

/** The embedded database could not be opened. The message says what the database reported. */
export class EmbeddedStartError extends Error {
  override readonly name = "EmbeddedStartError";
}

/**
 * Opens PGlite so that a write that was acknowledged survives a power cut.
 *
 * @throws {EmbeddedStartError} when the database cannot start
 */
export async function openDurable(
  directory: string,
  { onPanic, syncFile }: DurableOptions,
): Promise<PGlite> {
  let failure = "it ended without a message";
  const onAbort = (): void => onPanic(failure);
  try {
    return await PGlite.create({
      fs: new DurableFileSystem(directory, onAbort, syncFile),
      startParams: startParameters(),
      onStderr: (line) => {
        failure = /\b(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1] ?? failure;
        return true;
      },
    });
  } catch (cause) {
    throw new EmbeddedStartError(failure, { cause });
  }
}

/** Settings of the server, beside those of PGlite. */
const SETTINGS: readonly string[] = [
  // PGlite does nothing for `fdatasync`.
  "wal_sync_method=fsync",
  // How many log segments of 16 MB are kept for reuse after a checkpoint.
  "min_wal_size=48MB",
  "max_wal_size=64MB",
  // Replication is never used, and a checkpoint would create files for it, even on a full disk.
  "max_active_replication_origins=0",
];

/** PGlite switches `fsync` off with -F. */
function startParameters(): string[] {
  const others = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
  return [...others, ...SETTINGS.flatMap((setting) => ["-c", setting])];
}
