import type { Subcommand } from "flags-server-kit/command-line";
import { EDGE_MODES } from "./edge-command-line.ts";

type Command = Pick<Subcommand, "name" | "argument" | "options">;

/** The arguments of a subcommand that can be followed by the command line of Edge. */
interface SplitArguments {
  /** The subcommand, its own options and its argument; empty if the arguments do not begin with a subcommand. */
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
  const isFlag = !hasArgument && others.length === 1 && isMode(others[0]);
  return isFlag ? { own: args, others: [] } : { own: [first, ...own], others };
}

/** Sorts the arguments after a subcommand: its own options and its argument, and all others. */
function sortArguments({ argument, options }: Command, args: readonly string[]) {
  const own: string[] = [];
  const others: string[] = [];
  let hasArgument = argument === undefined;
  let isValue = false;
  for (const arg of args) {
    const option = options[/^--([^=]*)/.exec(arg)?.[1] ?? ""];
    const isPositional = !isValue && !arg.startsWith("-") && !isMode(arg);
    const isArgument = isPositional && !hasArgument && others.length === 0;
    if (isValue || option !== undefined || isArgument) own.push(arg);
    else others.push(arg);
    hasArgument ||= isArgument;
    isValue = !isValue && option?.value !== undefined && !arg.includes("=");
  }
  return { own, others, hasArgument };
}

function isMode(arg: string | undefined): boolean {
  return EDGE_MODES.some((mode) => mode === arg);
}
