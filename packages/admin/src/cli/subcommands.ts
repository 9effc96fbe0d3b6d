import type { Subcommand } from "flags-server-kit/command-line";
import type { Command } from "../commands/command.ts";
import { COMMANDS } from "../commands/commands.ts";
import { CHECK } from "./check/check.ts";
import { PROBES } from "./probe-subcommands.ts";

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
    const { runRestore } = await import("./run-restore.ts");
    return runRestore(call);
  },
};

function toSubcommand(command: Command): Subcommand {
  const { name, summary, description, argument, options, exitCodes } = command;
  return {
    name,
    summary,
    description,
    ...(argument !== undefined && { argument }),
    options,
    exitCodes,
    run: async (call) => {
      const { runCommand } = await import("./run-command.ts");
      return runCommand(command, call);
    },
  };
}

/** All subcommands of `flags-admin`, in the order of `--help`. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  ...PROBES,
  CHECK,
  ...COMMANDS.map(toSubcommand),
  RESTORE,
];
