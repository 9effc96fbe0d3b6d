import type { Subcommand } from "flags-server-kit/command-line";
import { EDGE_MODES } from "./edge-command-line.ts";

type Command = Pick<Subcommand, "name" | "argument" | "options">;

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
  subcommands: readonly Command[],
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
function sortArguments(subcommand: Command, args: readonly string[]) {
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

function findOption({ options }: Command, arg: string): Command["options"][string] | undefined {
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
