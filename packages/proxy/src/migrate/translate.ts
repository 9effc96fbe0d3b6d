import { type Environment, type Subcommand, SubcommandError } from "flags-server-kit/command-line";
import { EDGE_MODES, parseEdgeCommandLine } from "./edge-command-line.ts";
import { type Translation, translateEnvironment } from "./translate-environment.ts";

/** The arguments and the environment of the process, under our names. */
interface TranslatedCall {
  readonly args: readonly string[];
  readonly environment: Translation;
}

/**
 * Translates what the process was started with: the command lines of Edge, and the variables of both products.
 *
 * @param subcommands those that can be followed by a command line of Edge
 * @throws {SubcommandError} if the arguments are those of Edge, and invalid
 */
export function translate(
  args: readonly string[],
  environment: Environment,
  subcommands: readonly Command[] = [],
): TranslatedCall {
  const start = findEdgeCommandLine(args, subcommands);
  const own = args.slice(0, start);
  const edge = parseEdgeCommandLine(args.slice(start));
  if (edge === undefined) return { args, environment: translateEnvironment(environment) };
  if (typeof edge === "string") throw new SubcommandError(edge);
  const { mode, variables } = edge;
  const given = { ...environment, ...variables };
  if (mode === "offline" && !given["BOOTSTRAP_FILE"] && !given["FLAGS_URL"]) {
    throw new SubcommandError(NO_FILE);
  }
  const translation = translateEnvironment(given, { isEdge: true });
  return { args: own, environment: { ...translation, edge } };
}

type Command = Pick<Subcommand, "name" | "argument" | "options">;

/** After a subcommand, the command line of Edge begins with its mode: `check --json edge --upstream-url URL`. */
function findEdgeCommandLine(args: readonly string[], subcommands: readonly Command[]): number {
  const subcommand = subcommands.find(({ name }) => name === args[0]);
  if (subcommand === undefined) return 0;
  const { argument, options } = subcommand;
  const start = args.findIndex((arg, index) => {
    const isValue = options[args[index - 1]?.slice(2) ?? ""]?.value !== undefined;
    return !isValue && EDGE_MODES.some((mode) => mode === arg);
  });
  // A flag can have the name of a mode, too: `explain edge`.
  const isFlag = argument !== undefined && start === 1 && args.length === 2;
  return start === -1 || isFlag ? args.length : start;
}

const NO_FILE = "flags-proxy offline needs a file with flags: --bootstrap-file FILE";
