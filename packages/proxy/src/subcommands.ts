import type { Subcommand } from "flags-server-kit/command-line";
import { CHECK } from "./cli/check/check.ts";
import { EXPLAIN } from "./cli/explain/explain.ts";
import { COMPARE } from "./migrate/compare/compare.ts";
import { EDGE_SUBCOMMANDS } from "./migrate/edge-modes.ts";
import { PROBES } from "./migrate/probes.ts";
import { MIGRATE } from "./migrate/migrate.ts";
import type { Translation } from "./migrate/translate-environment.ts";

/** The subcommands that read the settings of the proxy. The arguments of Edge can follow them. */
export const SETTINGS_SUBCOMMANDS: readonly Subcommand<Translation>[] = [
  CHECK,
  MIGRATE,
  COMPARE,
  EXPLAIN,
];

/** All subcommands of `flags-proxy`, in the order of `--help`. */
export const SUBCOMMANDS: readonly Subcommand<Translation>[] = [
  ...SETTINGS_SUBCOMMANDS,
  ...PROBES,
  ...EDGE_SUBCOMMANDS,
];
