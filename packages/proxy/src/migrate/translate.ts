import { type Environment, type Subcommand, SubcommandError } from "flags-server-kit/command-line";
import { parseEdgeCommandLine } from "./edge-command-line.ts";
import { splitArguments } from "./split-arguments.ts";
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
  subcommands: readonly Pick<Subcommand, "name" | "argument" | "options">[] = [],
): TranslatedCall {
  const { own, others } = splitArguments(args, subcommands);
  const edge = parseEdgeCommandLine(others);
  // The mistake may be in an option of the subcommand: `migrate --form edge`.
  const isOfSubcommand = own.length > 0 && others[0]?.startsWith("-") === true;
  if (edge === undefined || (typeof edge === "string" && isOfSubcommand)) {
    return { args, environment: translateEnvironment(environment) };
  }
  if (typeof edge === "string") throw new SubcommandError(edge);
  const { mode, variables } = edge;
  const given = { ...environment, ...variables };
  if (mode === "offline" && !given["BOOTSTRAP_FILE"] && !given["FLAGS_URL"]) {
    throw new SubcommandError(NO_FILE);
  }
  const translation = translateEnvironment(given, { isEdge: true });
  return { args: own, environment: { ...translation, edge } };
}

const NO_FILE = "flags-proxy offline needs a file with flags: --bootstrap-file FILE";
