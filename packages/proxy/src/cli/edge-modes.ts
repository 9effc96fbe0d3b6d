import type { Subcommand } from "flags-server-kit/command-line";
import type { Alias } from "../config/aliases/alias.ts";
import { EDGE_ALIASES, EDGE_DEFAULTS } from "../config/aliases/edge-aliases.ts";
import { EDGE_MODES, listEdgeOptions } from "../config/aliases/edge-command-line.ts";
import { SETTINGS } from "../config/settings.ts";

const SUMMARIES = {
  edge: "Starts the proxy with the options of Unleash Edge",
  offline: "Starts the proxy with the options of Unleash Edge in offline mode",
} as const;

const DEFAULTS = Object.entries(EDGE_DEFAULTS)
  .map(([variable, value]) => `${variable}=${value}`)
  .join(", ");

/** Says which keys are valid if none are listed. */
const KEYS = {
  edge: "Without a list of client keys, the upstream verifies keys (FLAGS_UPSTREAM_KEYS=true).",
  offline: undefined,
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
  return `${target}${description ?? setting?.description}${loss === undefined ? "" : ` Note: ${loss}.`}`;
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
export const EDGE_SUBCOMMANDS: readonly Subcommand[] = EDGE_MODES.map((name) => ({
  name,
  summary: SUMMARIES[name],
  description: [
    `${SUMMARIES[name]}, so that its arguments need no change. Each option sets the Edge variable with the same name; Edge's short options also work. flags-proxy migrate ${name} with the same options prints the settings that they become.`,
    ...(name === "offline"
      ? [
          "Reads the flags from the file in --bootstrap-file. Changes to the file apply within a second, regardless of --reload-interval.",
        ]
      : []),
    [`Defaults that differ from those of flags-proxy: ${DEFAULTS}.`, KEYS[name] ?? []]
      .flat()
      .join(" "),
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

/** The arguments of a subcommand that can be followed by the command line of Edge. */
interface SplitArguments {
  /** The subcommand and its own options; empty if the arguments do not begin with a subcommand. */
  readonly own: readonly string[];
  /** The other arguments. */
  readonly others: readonly string[];
}

/**
 * Separates a subcommand from a command line of Edge, such as `check --json edge --upstream-url URL`.
 *
 * @param subcommands those that can be followed by it
 */
export function splitArguments(
  args: readonly string[],
  subcommands: readonly Subcommand[],
): SplitArguments {
  const [first = "", ...rest] = args;
  const subcommand = subcommands.find(({ name }) => name === first);
  if (subcommand === undefined) return { own: [], others: args };
  const { own, others, hasArgument } = sortArguments(subcommand, rest);
  // A flag can have the name of a mode, too: `explain edge --json` has no argument of Edge after it.
  const isFlag = subcommand.argument !== undefined && !hasArgument && isOnlyMode(others);
  return isFlag ? { own: args, others: [] } : { own: [first, ...own], others };
}

/** Sorts the arguments after a subcommand: its own options and its argument, and all others. */
function sortArguments(subcommand: Subcommand, args: readonly string[]) {
  const own: string[] = [];
  const others: string[] = [];
  let hasArgument = false;
  let isValue = false;
  for (const arg of args) {
    const option = findOption(subcommand, arg);
    const isArgument =
      subcommand.argument !== undefined && !isValue && others.length === 0 && isFlagName(arg);
    if (isValue || option !== undefined || isArgument) own.push(arg);
    else others.push(arg);
    hasArgument ||= isArgument;
    isValue = !isValue && option?.value !== undefined && !arg.includes("=");
  }
  return { own, others, hasArgument };
}

function findOption(
  { options }: Subcommand,
  arg: string,
): Subcommand["options"][string] | undefined {
  const [, name = ""] = /^--([^=]*)/.exec(arg) ?? [];
  return options[name];
}

function isFlagName(arg: string): boolean {
  return !arg.startsWith("-") && !isMode(arg);
}

function isOnlyMode([mode = "", ...rest]: readonly string[]): boolean {
  return rest.length === 0 && isMode(mode);
}

function isMode(arg: string): boolean {
  return EDGE_MODES.some((mode) => mode === arg);
}
