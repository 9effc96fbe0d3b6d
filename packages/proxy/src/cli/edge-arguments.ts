import type { Subcommand } from "flags-server-kit/command-line";

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
  const own = [first];
  const others: string[] = [];
  let isValue = false;
  for (const arg of rest) {
    const [name = ""] = arg.replace(/^--/, "").split("=", 1);
    const option = arg.startsWith("--") ? subcommand.options[name] : undefined;
    if (isValue || option !== undefined) own.push(arg);
    else others.push(arg);
    isValue = !isValue && option?.value !== undefined && !arg.includes("=");
  }
  return { own, others };
}
