import { PassThrough, type Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { DirectoryInUseError, StartError, type SubcommandResult } from "flags-server-kit";
import {
  EXIT_FAILURE,
  EXIT_USAGE,
  type Subcommand,
  SubcommandError,
} from "flags-server-kit/command-line";
import type { AdminConfig } from "../config/config.ts";
import { runInService } from "../commands/call-service.ts";
import type { Command, CommandOptions, PreparedCommand } from "../commands/command.ts";
import { toCommandFailure } from "../commands/command-failure.ts";
import { toStartError } from "../start-error.ts";
import type { Database } from "../storage/database.ts";
import { UnknownOutcomeError, withoutQueryValues } from "../storage/errors.ts";
import { readSchemaVersion, SCHEMA_VERSION, SchemaTooNewError } from "../storage/migrate.ts";
import { openStorage } from "../storage/open-storage.ts";
import { loadCommandConfig } from "./load-command-config.ts";
import { writeOutputFile } from "./output-file.ts";
import { findOwnUrl } from "./own-url.ts";
import { readSecretFile } from "./read-secret-file.ts";

/** Runs a command in the service that holds the database, or on the database. */
export async function runCommand(
  command: Command,
  { argument, options, environment }: Parameters<Subcommand["run"]>[0],
): Promise<SubcommandResult> {
  const { file } = options;
  if (command.writesFile === true && typeof file !== "string") {
    throw new SubcommandError(
      `--file is required: the path of the ${command.name} file`,
      EXIT_USAGE,
    );
  }
  const config = loadCommandConfig(environment);
  const secrets = await readSecretFiles(command, options);
  const given = await prepare(command, { argument, options: { ...options, ...secrets } });
  const write = (output: Writable): Promise<void> =>
    runWith(config, command, { options: given, output });
  if (command.writesFile !== true) return { output: await collect(write), exitCode: 0 };
  if (file === "-") {
    await writeStandardOutput(write);
    return { output: "", exitCode: 0 };
  }
  const bytes = await writeOutputFile(String(file), write);
  return { output: `Wrote ${bytes} bytes to ${String(file)}\n`, exitCode: 0 };
}

async function prepare(command: Command, call: PreparedCommand): Promise<CommandOptions> {
  if (command.prepare === undefined) return call.options;
  return command.prepare(call).catch((error: unknown) => {
    throw toCommandFailure(error) ?? error;
  });
}

async function readSecretFiles(
  { secretFiles = [] }: Command,
  options: CommandOptions,
): Promise<CommandOptions> {
  const secrets: Record<string, string> = {};
  for (const name of secretFiles) {
    const file = options[name];
    // oxlint-disable-next-line no-await-in-loop -- only one can use the standard input
    if (typeof file === "string") secrets[name] = await readSecretFile(file, name);
  }
  return secrets;
}

async function collect(write: (output: Writable) => Promise<void>): Promise<string> {
  const output = new PassThrough();
  const [result] = await Promise.all([text(output), write(output).finally(() => output.end())]);
  return result;
}

/** NOTE: through another stream, because a failure destroys the output, and the standard output must stay usable. */
async function writeStandardOutput(write: (output: Writable) => Promise<void>): Promise<void> {
  const output = new PassThrough();
  output.pipe(process.stdout);
  await write(output);
  output.end();
  await finished(output);
}

interface Run {
  readonly options: CommandOptions;
  readonly output: Writable;
}

async function runWith(config: AdminConfig, command: Command, run: Run): Promise<void> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === undefined) {
    const { name, maxRequestBytes } = command;
    // The file is on this side.
    const { file: _, ...options } = run.options;
    const call = { name, options, ...(maxRequestBytes !== undefined && { maxRequestBytes }) };
    if (await runInService(dataDir, call, run.output)) return;
    await requireUsable(dataDir);
  }
  await runOnDatabase(config, command, run).catch((error: unknown) => {
    throw toCommandFailure(explain(error, config)) ?? withoutQueryValues(error);
  });
}

/** NOTE: the reason for an unknown outcome does not say that the change may have been stored. */
function explain(error: unknown, config: AdminConfig): unknown {
  return error instanceof UnknownOutcomeError ? error : toStartError(error, config);
}

async function runOnDatabase(
  config: AdminConfig,
  command: Command,
  { options, output }: Run,
): Promise<void> {
  const storage = await openStorage({
    ...config,
    prepareSchema: (db) => requireTables(db, command),
  }).catch((error: unknown) => {
    throw error instanceof DirectoryInUseError ? explainInUse(error) : error;
  });
  try {
    const context = {
      storage,
      url: () => findUrl(config),
      hasOpenId: config.openId !== undefined,
    };
    await command.run(context, options, output);
  } finally {
    await storage.close();
  }
}

function findUrl(config: AdminConfig): string {
  if (config.publicUrl !== undefined) return config.publicUrl;
  if (config.port !== 0) return findOwnUrl(config);
  throw new SubcommandError(
    "The address of the service is not known, because PORT is 0: set PUBLIC_URL",
    EXIT_FAILURE,
  );
}

/** NOTE: another DATA_DIR, as for the service, would be another database. */
export function explainInUse(error: DirectoryInUseError): StartError {
  return new StartError(
    `${error.message}, and that process does not accept commands: repeat the command if it is starting or stopping; otherwise see the warnings in its log, or stop it`,
    { cause: error },
  );
}

/** Checks that there is an embedded database, and that using it leaves no files that the service cannot open. */
async function requireUsable(dataDir: string): Promise<void> {
  const { checkOwner, hasEmbeddedDatabase } = await import("../storage/embedded-storage.ts");
  if (!hasEmbeddedDatabase(dataDir)) {
    throw new StartError(
      `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL as for the service`,
    );
  }
  checkOwner(dataDir);
}

/** NOTE: a command does not migrate, because the service may still run in the previous version. */
async function requireTables(db: Database, { acceptsOlderTables = false }: Command): Promise<void> {
  const version = await readSchemaVersion(db);
  if (version === 0) {
    throw new StartError("The database contains no tables of flags-admin: start the service first");
  }
  if (version > SCHEMA_VERSION) throw new SchemaTooNewError(version, SCHEMA_VERSION);
  if (version < SCHEMA_VERSION && !acceptsOlderTables) {
    throw new StartError(
      `The database has schema version ${version}, and this command requires version ${SCHEMA_VERSION}: start this version of the service first, or use the command of the version that runs`,
    );
  }
}
