import { explainUnreadable, StartError, type SubcommandResult } from "flags-server-kit";
import { EXIT_USAGE, type Subcommand, SubcommandError } from "flags-server-kit/command-line";
import { InvalidBackupError } from "../backup/format.ts";
import { DatabaseNotEmptyError, restoreBackup } from "../backup/restore-backup.ts";
import { toStartError } from "../start-error.ts";
import { withoutQueryValues } from "../storage/errors.ts";
import { openStorage } from "../storage/open-storage.ts";
import { loadCommandConfig } from "./load-command-config.ts";
import { isAbout } from "./output-file.ts";

/** Runs `flags-admin restore`. */
export async function runRestore({
  options,
  environment,
}: Parameters<Subcommand["run"]>[0]): Promise<SubcommandResult> {
  const { file } = options;
  if (typeof file !== "string") {
    throw new SubcommandError("--file is required: the path of the backup file", EXIT_USAGE);
  }
  const config = loadCommandConfig(environment);
  try {
    const rows = await restoreBackup(file, (prepareSchema) =>
      openStorage({ ...config, prepareSchema }),
    );
    return { output: `Restored ${rows} rows from ${file}\n`, exitCode: 0 };
  } catch (cause) {
    const message = explain(cause, file);
    if (message !== undefined) throw new StartError(message, { cause });
    throw withoutQueryValues(toStartError(cause, config));
  }
}

/** Explains errors that the operator can correct. */
function explain(error: unknown, file: string): string | undefined {
  if (error instanceof InvalidBackupError) return `Cannot restore ${file}: ${error.message}`;
  if (error instanceof DatabaseNotEmptyError) {
    return `Cannot restore ${file}, since ${error.message}`;
  }
  if (isAbout(error, file)) return `Cannot use the file ${file}: ${explainUnreadable(error)}`;
  return undefined;
}
