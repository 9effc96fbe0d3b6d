import type { Command } from "./command.ts";

export const BACKUP: Command = {
  name: "backup",
  summary: "Writes everything in the database to a file",
  description: [
    "Writes flags, tokens, events and usage to a file, which flags-admin restore can restore in either kind of database. Tokens are stored as hashes. Uses DATABASE_URL or DATA_DIR.",
    "The service can keep running. With the embedded database, changes and usage reports wait until the backup is complete; flags are still served.",
  ],
  options: {
    file: {
      value: "FILE",
      description:
        "Required. The file to write; an existing one is replaced. With -, the backup is written to the standard output.",
    },
  },
  exitCodes: ["The backup is complete.", "No backup was written: the message says why."],
  writesFile: true,
  // The service may still run in the previous version.
  acceptsOlderTables: true,
  run: async ({ storage }, _options, output) => {
    const { writeBackup } = await import("../backup/write-backup.ts");
    await writeBackup(storage, output);
  },
};
