import { writeFile } from "node:fs/promises";
import { codeOf } from "flags-server-kit/neutral";
import { EXIT_USAGE, type Subcommand, SubcommandError } from "flags-server-kit/command-line";
import type { Translation } from "./translate-environment.ts";

export const MIGRATE: Subcommand<Translation> = {
  name: "migrate",
  summary: "Prints the settings of the Unleash proxy or Unleash Edge under their new names",
  description: [
    "Reads the environment, and the files of --env-file, and prints an env file for flags-proxy on standard output. Settings without an equivalent follow as comments, with the reason, and then all names in the files that nothing reads.",
    "Can be followed by the arguments of Unleash Edge: flags-proxy migrate edge --upstream-url URL --tokens TOKENS.",
    "Some Edge keys need an access file: keys for one project and, with several upstream tokens, keys of the form secret@environment. The access file is printed too, or written with --access-file.",
    "The output contains your tokens and keys, because it replaces the previous file. An access file contains only digests of keys.",
  ],
  options: {
    from: {
      value: "PRODUCT",
      description:
        "unleash-proxy or edge: reads only that product's names. Default: depends on the names that are set.",
    },
    "access-file": {
      value: "FILE",
      description:
        "Writes the access file, if one is needed, instead of printing it. FILE must not exist.",
    },
  },
  exitCodes: [
    "The printed settings are equivalent.",
    "Some settings are lost, invalid or not understood: the comments say which.",
    "The command line is invalid, there is nothing to migrate, or the access file cannot be written.",
  ],
  run: async ({ options: { from, "access-file": accessPath }, environment, fileVariables }) => {
    const { describeUnread, migrateSettings } = await import("./migrate-settings.ts");
    const path = typeof accessPath === "string" ? accessPath : undefined;
    if (from !== undefined && from !== "unleash-proxy" && from !== "edge") {
      throw new SubcommandError(
        "--from must be unleash-proxy or edge: see flags-proxy migrate --help",
      );
    }
    const migration = migrateSettings(environment, {
      product: from,
      accessPath: path,
      fileVariables,
    });
    if (migration === undefined) {
      const unread = describeUnread(environment, fileVariables);
      throw new SubcommandError([NO_SETTINGS, ...unread].join("\n"));
    }
    await writeAccessFile(path, migration.accessFile);
    return { output: migration.text, exitCode: migration.isComplete ? 0 : 1 };
  },
};

const NO_SETTINGS =
  "There are no settings of the Unleash proxy or Unleash Edge in the environment or the files of --env-file. For settings of Edge without UPSTREAM_URL or BOOTSTRAP_FILE, add --from edge";

const WRITE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: "its directory does not exist",
  EACCES: "the user of this process has no permission to write there",
  EROFS: "the file system is read-only",
};

/**
 * Writes an access file, if both the path and the text are given.
 *
 * @throws {SubcommandError} if the file exists or cannot be written
 */
async function writeAccessFile(path: string | undefined, text: string | undefined): Promise<void> {
  if (path === undefined || text === undefined) return;
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    const code = codeOf(error);
    throw new SubcommandError(
      code === "EEXIST"
        ? `--access-file: ${path} exists: choose another path, or move the file`
        : `--access-file: cannot write ${path}: ${WRITE_FAILURES[code] ?? code}`,
      EXIT_USAGE,
      { cause: error },
    );
  }
}
