import { styleText } from "node:util";
import type { Environment } from "../config/resolve-options.ts";
import { readEnvironment } from "../config/resolve-settings.ts";
import { loadEnvFiles } from "./env-file.ts";
import { formatHelp, formatSubcommandHelp, type Paint } from "./help.ts";
import { findEnvFiles, parseCommandLine } from "./parse-command-line.ts";
import type { Program, Subcommand, SubcommandCall } from "./program.ts";
import { explainSubcommandFailure } from "./start-failure.ts";
import { EXIT_FAILURE, EXIT_USAGE, SubcommandError } from "./program.ts";

interface Commands<Env> {
  readonly subcommands: readonly Subcommand<Env>[];
  /** Runs without a subcommand. Resolves when it has taken over: it ends the process itself. */
  readonly serve: (environment: Env) => Promise<void>;
}

interface Invocation<Env> {
  readonly args: readonly string[];
  readonly environment: Env;
}

/** @throws {SubcommandError} if the arguments are invalid */
type Translate<Env> = (args: readonly string[], environment: Environment) => Invocation<Env>;

/** Serves, runs a subcommand, or prints the help or the version. Adds the files of `--env-file` to `process.env`. */
export async function runCommandLine<Env = Environment>(
  program: Program,
  { subcommands, serve }: Commands<Env>,
  translate?: Translate<Env>,
): Promise<void> {
  const invocation = tryTranslate(translate);
  if (invocation === undefined) return;
  const { args, environment, fileVariables } = invocation;
  const request = parseCommandLine(program, subcommands, args);
  switch (request.kind) {
    case "help":
      process.stdout.write(
        request.subcommand === undefined
          ? formatHelp(program, subcommands, paint)
          : formatSubcommandHelp(program, request.subcommand, paint),
      );
      return;
    case "version":
      process.stdout.write(`${program.version}\n`);
      return;
    case "invalid":
      process.stderr.write(`${request.problem}\n`);
      process.exitCode = EXIT_USAGE;
      return;
    case "run": {
      const { subcommand, argument, options } = request;
      if (subcommand === undefined) await serve(environment);
      else await runSubcommand(subcommand, { argument, options, environment, fileVariables });
    }
  }
}

function tryTranslate<Env>(translate: Translate<Env> | undefined) {
  try {
    const args = process.argv.slice(2);
    const fileVariables = loadEnvFiles(findEnvFiles(args), process.env);
    const environment = readEnvironment();
    const invocation = translate?.(args, environment) ?? { args, environment: environment as Env };
    return { ...invocation, fileVariables };
  } catch (error) {
    process.stderr.write(`${explainSubcommandFailure(error)}\n`);
    process.exitCode = exitCodeOf(error);
    return undefined;
  }
}

function exitCodeOf(error: unknown): number {
  return error instanceof SubcommandError ? error.exitCode : EXIT_FAILURE;
}

async function runSubcommand<Env>(
  subcommand: Subcommand<Env>,
  call: SubcommandCall<Env>,
): Promise<void> {
  let exitCode = EXIT_FAILURE;
  // Without this, a reader that closes the pipe early would cause a stack trace.
  process.stdout.on("error", () => process.exit(exitCode));
  try {
    const result = await subcommand.run(call);
    ({ exitCode } = result);
    // NOTE: extensions that the command has loaded may have timers, which would keep the process alive.
    process.stdout.write(result.output, () => process.exit(exitCode));
  } catch (error) {
    exitCode = exitCodeOf(error);
    process.stderr.write(`${explainSubcommandFailure(error)}\n`, () => process.exit(exitCode));
  }
}

/** Respects NO_COLOR, FORCE_COLOR and TERM, and formats nothing unless the output is a terminal. */
const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });
