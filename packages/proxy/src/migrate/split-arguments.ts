import type { Subcommand } from "flags-server-kit/command-line";
import { EDGE_MODES } from "./edge-command-line.ts";

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
  subcommands: readonly Pick<Subcommand, "name" | "argument" | "options">[],
): SplitArguments {
  const [first = "", ...rest] = args;
  const subcommand = subcommands.find(({ name }) => name === first);
  if (subcommand === undefined) return { own: [], others: args };
  const own = [first];
  const others: string[] = [];
  let hasArgument = subcommand.argument === undefined;
  let isValue = false;
  for (const arg of rest) {
    const option = subcommand.options[/^--([^=]*)/.exec(arg)?.[1] ?? ""];
    const isArgument =
      !hasArgument && !isValue && others.length === 0 && !arg.startsWith("-") && !isMode(arg);
    (isValue || option !== undefined || isArgument ? own : others).push(arg);
    hasArgument ||= isArgument;
    isValue = !isValue && option?.value !== undefined && !arg.includes("=");
  }
  // A flag can have the name of a mode, too: `explain edge --json` has no argument of Edge after it.
  const isFlag = !hasArgument && others.length === 1 && isMode(others[0] ?? "");
  return isFlag ? { own: args, others: [] } : { own, others };
}

function isMode(arg: string): boolean {
  return EDGE_MODES.some((mode) => mode === arg);
}
