import type { Subcommand } from "flags-server-kit/command-line";

const EXIT_USAGE = 2;

/** Prints the settings of a replaced product under the names that they have here. */
export const MIGRATE: Subcommand = {
  name: "migrate",
  summary: "Prints the settings of the Unleash proxy or Unleash Edge with their names here",
  description: [
    "Reads the environment, and the files of --env-file, and prints a file of variables for flags-proxy on standard output. What has no equivalent follows as comments, with the reason.",
    "The output contains your tokens and keys, as it is meant to be used in place of the previous file.",
  ],
  options: {
    from: {
      value: "PRODUCT",
      meaning:
        "unleash-proxy or edge: reads only the names of this product. Otherwise, the names that are set decide.",
    },
  },
  exitCodes: [
    "The printed settings do the same.",
    "Something is lost, or a value is invalid: the comments say what.",
  ],
  run: async ({ options: { from }, environment }) => {
    const { migrateSettings } = await import("./migrate-settings.ts");
    if (from !== undefined && from !== "unleash-proxy" && from !== "edge") {
      process.stderr.write(
        "--from must be unleash-proxy or edge: see flags-proxy migrate --help\n",
      );
      return { output: "", exitCode: EXIT_USAGE };
    }
    const migration = migrateSettings(environment, from);
    if (migration !== undefined) {
      return { output: migration.text, exitCode: migration.isComplete ? 0 : 1 };
    }
    process.stderr.write(
      "There are no settings of the Unleash proxy or Unleash Edge: pass their file with --env-file FILE\n",
    );
    return { output: "", exitCode: EXIT_USAGE };
  },
};
