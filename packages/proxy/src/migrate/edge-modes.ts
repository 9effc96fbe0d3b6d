import type { Subcommand } from "flags-server-kit/command-line";
import { EDGE_ALIASES, EDGE_DEFAULTS } from "./aliases/edge-aliases.ts";
import { EDGE_MODES, isSwitch, toOptionName } from "./edge-command-line.ts";
import type { Translation } from "./translate-environment.ts";

const SUMMARIES = {
  edge: "Starts the proxy with the options of Unleash Edge",
  offline: "Starts the proxy with the options of Unleash Edge in offline mode",
} as const;

const DEFAULTS = Object.entries(EDGE_DEFAULTS)
  .map(([variable, value]) => `${variable}=${value}`)
  .join(", ");

const NOTES = {
  edge: "Without a list of client keys, the upstream verifies keys (FLAGS_UPSTREAM_KEYS=true).",
  offline:
    "Reads the flags from the file in --bootstrap-file. Changes to the file apply within a second, regardless of --reload-interval.",
} as const;

const OPTIONS = Object.fromEntries(
  EDGE_ALIASES.map(({ name, to, missing }) => {
    const description = missing ? `No equivalent: ${missing.reason}.` : `Sets ${to.join(" and ")}.`;
    return [toOptionName(name), { description, ...(!isSwitch(name) && { value: "VALUE" }) }];
  }),
);

/**
 * The modes of Edge, for `--help`. They are not run as subcommands: their options have other rules, and
 * the program starts the proxy for them.
 */
export const EDGE_SUBCOMMANDS: readonly Subcommand<Translation>[] = EDGE_MODES.map((name) => ({
  name,
  summary: SUMMARIES[name],
  description: [
    `${SUMMARIES[name]}, so that its arguments need no change. Each option sets the Edge variable with the same name; Edge's short options also work. flags-proxy migrate ${name} with the same options prints the settings that they become.`,
    NOTES[name],
    `Defaults that differ from those of flags-proxy: ${DEFAULTS}.`,
  ],
  options: OPTIONS,
  exitCodes: ["The proxy was stopped.", "The proxy cannot start."],
  run: () => Promise.reject(new Error("The program starts the proxy for this subcommand")),
}));
