import type { Subcommand } from "flags-server-kit/command-line";
import type { Alias } from "./aliases/alias.ts";
import { fromSeconds } from "./aliases/conversions.ts";
import { EDGE_ALIASES, EDGE_DEFAULTS } from "./aliases/edge-aliases.ts";
import { EDGE_MODES, listEdgeOptions } from "./edge-command-line.ts";
import { SETTINGS } from "../config/settings.ts";
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

const OFFLINE = { BOOTSTRAP_FILE: "flags.json" };

/** Describes an option by the settings that it becomes. */
function describe(variable: string, mode: (typeof EDGE_MODES)[number]): string {
  const alias = EDGE_ALIASES.find(({ name }) => name === variable);
  if (alias === undefined) return `Sets ${variable}.`;
  const { missing, conversion, description, loss } = alias;
  if (missing !== undefined) {
    const effect = missing.effect === "refused" ? "Prevents the start" : "No effect";
    return `${effect}: ${missing.reason}.`;
  }
  const to = variablesFor(alias, mode);
  const converted =
    conversion === undefined ? "" : ` (${conversion.description.replaceAll("`", "")})`;
  const target = to.includes(variable) ? "" : `Sets ${to.join(" and ")}${converted}. `;
  const setting = Object.values(SETTINGS).find(({ variables }) => variables.includes(to[0] ?? ""));
  const ours = setting?.description ?? "";
  const meaning =
    description ?? (conversion === fromSeconds ? ours.replace("Milliseconds", "Seconds") : ours);
  return `${target}${meaning}${loss === undefined ? "" : ` Note: ${loss}.`}`;
}

function variablesFor(
  { to, toInstead }: Alias,
  mode: (typeof EDGE_MODES)[number],
): readonly string[] {
  const isOffline = mode === "offline" && toInstead?.isMet({}) === false;
  return isOffline && toInstead.isMet(OFFLINE) ? toInstead.to : to;
}

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
  options: Object.fromEntries(
    listEdgeOptions(name).map((option) => [
      option.name,
      { description: describe(option.variable, name), ...(option.hasValue && { value: "VALUE" }) },
    ]),
  ),
  exitCodes: ["The proxy was stopped.", "The proxy cannot start."],
  run: () => Promise.reject(new Error("The program starts the proxy for this subcommand")),
}));
