import type { Environment } from "../config/resolve-options.ts";
import type { SettingsTable } from "../config/setting.ts";
import type { SettingNames } from "../config/unknown-names.ts";

/** A command-line program that is configured by environment variables. */
export interface Program<Table extends SettingsTable = SettingsTable> extends SettingNames {
  readonly name: string;
  readonly version: string;
  /** One sentence that says what the program does. */
  readonly tagline: string;
  /** Name of the running program in messages, such as `the proxy`. */
  readonly displayName: string;
  readonly settings: Table;
}

export interface OptionDefinition {
  /** One letter, which works after a single dash. @default none */
  readonly short?: string;
  /** Name of the option's value in `--help`, such as `URL`. Undefined for an option without a value. */
  readonly value?: string;
  readonly description: string;
}

/** What the user has passed to a subcommand. */
export interface SubcommandCall<Env = Environment> {
  /** The argument after the name of the subcommand. @default none was given */
  readonly argument?: string | undefined;
  readonly options: Readonly<Record<string, string | true>>;
  readonly environment: Env;
  /** Names of the variables in the files of `--env-file`, which are part of the environment. */
  readonly fileVariables: readonly string[];
}

/** Something failed. */
export const EXIT_FAILURE = 1;

/** The command line is invalid. */
export const EXIT_USAGE = 2;

/** A reason why a subcommand cannot do what it should. The message is printed without a stack trace. */
export class SubcommandError extends Error {
  override readonly name = "SubcommandError";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_USAGE, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** What a subcommand prints, and the exit code of the process. */
export interface SubcommandResult {
  readonly output: string;
  readonly exitCode: number;
}

/**
 * A subcommand of a program; `Env` is what its environment becomes. The `subcommands.ts` of the program lists all.
 *
 * NOTE: `run()` imports what it needs, so that subcommands do not delay the start of the server.
 */
export interface Subcommand<Env = Environment> {
  readonly name: string;
  /** What it does, in one short sentence without a full stop, for the list of commands. */
  readonly summary: string;
  readonly description: readonly string[];
  /** An argument that can follow the name of the subcommand, such as `FLAG`. @default none */
  readonly argument?: string;
  readonly options: Readonly<Record<string, OptionDefinition>>;
  /** The meaning of exit code 0, of exit code 1 and, if there is more than the usual one, of exit code 2. */
  readonly exitCodes: readonly [success: string, failure: string, invalid?: string];
  /** @throws {SubcommandError} if that is not possible */
  run(call: SubcommandCall<Env>): Promise<SubcommandResult>;
}
