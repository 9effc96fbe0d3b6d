import type { Subcommand } from "flags-server-kit/command-line";
import { CHECK } from "./check/check.ts";
import { COMPARE } from "./compare/compare.ts";
import { EDGE_SUBCOMMANDS } from "./edge-modes.ts";
import { EXPLAIN } from "./explain/explain.ts";
import { MIGRATE } from "./migrate/migrate.ts";
import { PROBES } from "./probe-subcommands.ts";

/** All subcommands of `flags-proxy`, in the order of `--help`. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  CHECK,
  MIGRATE,
  COMPARE,
  EXPLAIN,
  ...PROBES,
  ...EDGE_SUBCOMMANDS,
];
