import type { Subcommand } from "flags-server-kit/command-line";
import { BACKUP, RESTORE } from "./backup.ts";
import { PROBES } from "./probe-subcommands.ts";

/** All subcommands of `flags-admin`, in the order of `--help`. */
export const SUBCOMMANDS: readonly Subcommand[] = [...PROBES, BACKUP, RESTORE];
