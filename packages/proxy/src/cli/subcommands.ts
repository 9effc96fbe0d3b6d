import type { Subcommand } from "flags-server-kit/command-line";
import { CHECK } from "./check/check.ts";
import { COMPARE } from "./compare/compare.ts";
import { EDGE_SUBCOMMANDS } from "./edge-modes.ts";
import { EXPLAIN } from "./explain/explain.ts";
import { MIGRATE } from "./migrate/migrate.ts";
import { PROBES } from "./probe-subcommands.ts";

/** The subcommands that read the settings of the proxy. The arguments of Edge can follow them. */
export const SETTINGS_SUBCOMMANDS: readonly Subcommand[] = [CHECK, MIGRATE, COMPARE, EXPLAIN];

/** All subcommands of `flags-proxy`, in the order of `--help`. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  ...SETTINGS_SUBCOMMANDS,
  ...PROBES,
  ...EDGE_SUBCOMMANDS,
];
