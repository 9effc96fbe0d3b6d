import type { Writable } from "node:stream";
import type { Subcommand } from "flags-server-kit/command-line";
import type { Storage } from "../storage/storage.ts";

/** The options of a command as they were given; `true` for an option without a value. */
export type CommandOptions = Readonly<Record<string, string | true>>;

/** Longest options in bytes, as JSON, that a service accepts for most commands. */
export const MAX_REQUEST_BYTES = 65_536;

/** Name of the option for what a command has prepared. It is none of the command line. */
export const INPUT_OPTION = "input";

/** What the user has passed to a command. */
export interface PreparedCommand {
  /** The argument after the name of the command. @default none was given */
  readonly argument: string | undefined;
  readonly options: CommandOptions;
}

/** What commands work with. */
export interface CommandContext {
  readonly storage: Storage;
  /**
   * Returns the address at which browsers reach the service, as far as that is known. For links.
   *
   * @throws {SubcommandError} if it is not
   */
  readonly url: () => string;
  /** Whether people sign in with OpenID Connect. */
  readonly hasOpenId: boolean;
}

/**
 * A subcommand of `flags-admin` that uses the database. While a service holds the embedded database, the command runs in the
 * service, which receives its options through a socket; otherwise it runs in its own process, on the database that it opens.
 *
 * To add one, create a file that exports it, add it to the list in `commands.ts`, and describe it in
 * `docs/reference/admin-operations.md`. Test it in both places: see `test/commands.test.ts`.
 *
 * NOTE: `run()` imports what it needs, so that commands do not delay the start of the service.
 */
export interface Command extends Pick<
  Subcommand,
  "name" | "summary" | "description" | "argument" | "options" | "exitCodes"
> {
  /**
   * Whether the output is a file, whose path is required as `--file`. It appears there when it is complete.
   *
   * @default the output is text for the standard output
   */
  readonly writesFile?: boolean;
  /**
   * Options whose value names a file with a secret, or is `-` for the standard input. `run()` gets the secret instead.
   *
   * @default none
   */
  readonly secretFiles?: readonly string[];
  /**
   * Reads what the command needs from where it was started, such as a file: the service may see other files. Returns the
   * options that `run()` gets, which can include `input`, a text.
   *
   * @default the given options
   */
  readonly prepare?: (call: PreparedCommand) => Promise<CommandOptions>;
  /** Longest options in bytes, as JSON. @default 64 KiB */
  readonly maxRequestBytes?: number;
  /** Whether it also runs on a database with the tables of an older version. @default only with the current tables */
  readonly acceptsOlderTables?: boolean;
  /**
   * Does the work. Writes the result to the output, and leaves it open. If the client goes away, the output is destroyed.
   *
   * @throws {SubcommandError} if an option is invalid. An `ApiError` is also shown to the user
   */
  run(context: CommandContext, options: CommandOptions, output: Writable): Promise<void>;
}
