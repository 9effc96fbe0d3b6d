import type { Subcommand } from "flags-server-kit/command-line";
import { CHECK } from "./check.ts";
import { COMPARE } from "./compare.ts";
import { EXPLAIN } from "./explain.ts";
import { EDGE_SUBCOMMANDS } from "./edge-modes.ts";
import { MIGRATE } from "./migrate.ts";
import { PROBES } from "./probes.ts";

/** All subcommands of `flags-proxy`, in the order of `--help`. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  CHECK,
  MIGRATE,
  COMPARE,
  EXPLAIN,
  ...PROBES,
  ...EDGE_SUBCOMMANDS,
];
