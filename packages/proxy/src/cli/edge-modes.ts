import type { Subcommand } from "flags-server-kit/command-line";
import { EDGE_MODES, listEdgeOptions } from "../config/aliases/edge-command-line.ts";

const SUMMARIES = {
  edge: "Starts the proxy with the options of Unleash Edge",
  offline: "Starts the proxy with the options of Unleash Edge in offline mode",
} as const;

/**
 * The modes of Edge, for `--help`. They are not run as subcommands: their options have other rules, and
 * the program starts the proxy for them.
 */
export const EDGE_SUBCOMMANDS: readonly Subcommand[] = EDGE_MODES.map((name) => ({
  name,
  summary: SUMMARIES[name],
  description: [
    `${SUMMARIES[name]}, so that its arguments need no change. Each option sets the variable of Edge with the same name; the short options of Edge also work. flags-proxy migrate ${name} with the same options prints the settings that they become.`,
    ...(name === "offline"
      ? [
          "Reads the flags from the file of --bootstrap-file. Changes of the file apply within a second, whatever --reload-interval is.",
        ]
      : []),
  ],
  options: Object.fromEntries(
    listEdgeOptions(name).map((option) => [
      option.name,
      { description: `Sets ${option.variable}.`, ...(option.hasValue && { value: "VALUE" }) },
    ]),
  ),
  exitCodes: ["The proxy was stopped.", "The proxy cannot start."],
  run: () => Promise.reject(new Error("The program starts the proxy for this subcommand")),
}));
