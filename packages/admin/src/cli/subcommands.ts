import type { Subcommand } from "flags-server-kit/command-line";
import { PROBES } from "./probe-subcommands.ts";

const BACKUP: Subcommand = {
  name: "backup",
  summary: "Writes everything in the database to a file",
  description: [
    "Writes flags, tokens, events and usage to a file, which flags-admin restore can restore in either kind of database. Tokens are stored as hashes. Uses DATABASE_URL or DATA_DIR.",
    "With PostgreSQL, the service can keep running. With the embedded database, stop it first.",
  ],
  options: {
    file: {
      value: "FILE",
      description: "Required. The file to write; an existing one is replaced.",
    },
  },
  exitCodes: ["The backup is complete.", "No backup was written: the message says why."],
  run: async (call) => {
    const { runBackup } = await import("./run-backup.ts");
    return runBackup(call);
  },
};

const RESTORE: Subcommand = {
  name: "restore",
  summary: "Restores a backup to an empty database",
  description: [
    "Restores a file written by flags-admin backup to the database in DATABASE_URL or DATA_DIR. The database must be empty or new: it may have tables, but no recorded changes.",
    "Stop all services that use this database first.",
  ],
  options: {
    file: { value: "FILE", description: "Required. The file to read." },
  },
  exitCodes: ["Everything was restored.", "Nothing was restored: the message says why."],
  run: async (call) => {
    const { runRestore } = await import("./run-backup.ts");
    return runRestore(call);
  },
};

/** All subcommands of `flags-admin`, in the order of `--help`. */
export const SUBCOMMANDS: readonly Subcommand[] = [...PROBES, BACKUP, RESTORE];
