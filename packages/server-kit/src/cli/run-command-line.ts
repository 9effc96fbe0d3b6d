import { styleText } from "node:util";
import { readEnvironment } from "../config/resolve-settings.ts";
import { loadEnvFiles } from "./env-file.ts";
import { formatHelp, formatSubcommandHelp, type Paint } from "./help.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import type { Program, Subcommand, SubcommandCall } from "./program.ts";
import { explainStartFailure, explainSubcommandFailure } from "./start-failure.ts";
import { EXIT_FAILURE, EXIT_USAGE, SubcommandError } from "./program.ts";

/** The commands of a program. */
interface Commands {
  readonly subcommands: readonly Subcommand[];
  /** Runs without a subcommand. Resolves when it has taken over: it ends the process itself. */
  readonly serve: () => Promise<void>;
}

/**
 * Does what the command-line arguments of this process say: serves, runs a subcommand, or prints the
 * help or the version.
 */
export async function runCommandLine(
  program: Program,
  { subcommands, serve }: Commands,
): Promise<void> {
  const request = parseCommandLine(program, subcommands, process.argv.slice(2));
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
      const { subcommand, argument, options, envFiles } = request;
      if (!tryLoadEnvFiles(envFiles)) return;
      if (subcommand === undefined) await serve();
      else await runSubcommand(subcommand, { argument, options, environment: readEnvironment() });
    }
  }
}

/** Adds the variables of files to the environment of this process. If that fails, prints why. */
export function tryLoadEnvFiles(paths: readonly string[]): boolean {
  try {
    loadEnvFiles(paths, process.env);
    return true;
  } catch (error) {
    process.stderr.write(`${explainStartFailure(error)}\n`);
    process.exitCode = EXIT_FAILURE;
    return false;
  }
}

async function runSubcommand(subcommand: Subcommand, call: SubcommandCall): Promise<void> {
  let exitCode = EXIT_FAILURE;
  // Without this, a reader that closes the pipe early would cause a stack trace.
  process.stdout.on("error", () => process.exit(exitCode));
  try {
    const result = await subcommand.run(call);
    ({ exitCode } = result);
    // NOTE: extensions that the command has loaded may have timers, which would keep the process alive.
    process.stdout.write(result.output, () => process.exit(exitCode));
  } catch (error) {
    if (error instanceof SubcommandError) ({ exitCode } = error);
    process.stderr.write(`${explainSubcommandFailure(error)}\n`, () => process.exit(exitCode));
  }
}

/** Respects NO_COLOR, FORCE_COLOR and TERM, and formats nothing unless the output is a terminal. */
const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });
