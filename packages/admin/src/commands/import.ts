import { readFile } from "node:fs/promises";
import { explainUnreadable } from "flags-server-kit";
import { EXIT_FAILURE, EXIT_USAGE, SubcommandError } from "flags-server-kit/command-line";
import { toErrorMessage } from "flags-server-kit/neutral";
import type { WriteTransaction } from "../storage/storage.ts";
import type { Bundle } from "../transfer/bundle/bundle.ts";
import type { Command, CommandOptions, PreparedCommand } from "./command.ts";

/** Longer than the lists of 5,000 flags in a few environments. */
const MAX_BUNDLE_BYTES = 64 * 1024 * 1024;

export const IMPORT: Command = {
  name: "import",
  summary: "Imports flags from an Unleash server or from a file",
  description: [
    "Imports projects, environments, flags and what they refer to: from a running Unleash server, or from a file that was exported here or by an Unleash server, in JSON or YAML. Prints what is new, changed, unchanged and left out. Uses DATABASE_URL or DATA_DIR; the service can keep running.",
    "Importing the same again changes nothing. Flags that were changed here since are conflicts, which stay as they are.",
  ],
  argument: "FILE",
  options: {
    from: {
      value: "URL",
      description: "The Unleash server to read, instead of a file.",
    },
    "token-file": {
      value: "FILE",
      description:
        "File with an admin token of that server, or the personal token of an admin; - for the standard input.",
    },
    "dry-run": { description: "Prints what the import would do, and changes nothing." },
    "only-project": {
      value: "IDS",
      description: "The projects to import, separated by commas. Default: all.",
    },
    project: {
      value: "OLD=NEW",
      description: "Projects to import into others, separated by commas. Default: the same ids.",
    },
    environment: {
      value: "OLD=NEW",
      description:
        "Environments to import into others, separated by commas; without NEW, an environment is left out. Default: the same names.",
    },
    overwrite: {
      description: "Also replaces flags and definitions that were changed here.",
    },
  },
  exitCodes: [
    "Everything was imported, except for conflicts.",
    "Nothing was imported: the message says why.",
  ],
  secretFiles: ["token-file"],
  maxRequestBytes: MAX_BUNDLE_BYTES,
  prepare,
  run: async ({ storage }, { input, ...options }, output) => {
    const [
      { checkBundle },
      { applyBundle },
      { describeReport, hasChanges },
      { ProjectAccess },
      { SYSTEM_ACTOR },
      { writeAndRollBack },
      { ApprovalsMissingError },
    ] = await Promise.all([
      import("../transfer/bundle/read-bundle.ts"),
      import("../transfer/bundle/apply-bundle.ts"),
      import("../transfer/bundle/describe-report.ts"),
      import("../access/project-access.ts"),
      import("../storage/events.ts"),
      import("../storage/write-and-roll-back.ts"),
      import("../storage/require-approvals.ts"),
    ]);
    const bundle = acceptBundle(checkBundle, String(input));
    const isDryRun = options["dry-run"] === true;
    const work = async (transaction: WriteTransaction) => {
      const applied = await applyBundle(transaction, bundle, {
        performer: { role: "admin", access: ProjectAccess.everywhere("admin") },
        overwrites: options["overwrite"] === true ? "everything" : "nothing",
      });
      const place = await transaction.findMissingApprovals();
      if (place !== undefined) throw new ApprovalsMissingError(place, USE_CONSOLE);
      return applied;
    };
    const { report } = await (isDryRun
      ? writeAndRollBack(storage, SYSTEM_ACTOR, work)
      : storage.write(SYSTEM_ACTOR, work));
    output.write(describeReport(report));
    if (!hasChanges(report)) output.write("There is nothing to change.\n");
    else output.write(isDryRun ? "Nothing was changed: this was a dry run.\n" : "Imported.\n");
    if (report.items.some(({ replaceable }) => replaceable === true)) {
      output.write("To replace what was changed here, repeat the command with --overwrite.\n");
    }
  },
};

const USE_CONSOLE = "import this project in the console, which sends the import to review";

/** NOTE: the command has checked it too, so that only another version does not accept it. */
function acceptBundle(checkBundle: (value: unknown) => Bundle, input: string): Bundle {
  try {
    return checkBundle(JSON.parse(input));
  } catch (cause) {
    throw new SubcommandError(
      "The running service has another version of flags-admin, which does not read the imports of this one: use the command of that version, or restart the service with this one",
      EXIT_FAILURE,
      { cause },
    );
  }
}

/** Reads the file or the server, where the command was started. */
async function prepare({ argument, options }: PreparedCommand): Promise<CommandOptions> {
  const {
    from,
    "token-file": token,
    "only-project": only,
    project,
    environment,
    ...others
  } = options;
  const onlyProjects = typeof only === "string" ? splitList(only) : undefined;
  const bundle =
    typeof from === "string"
      ? await readFromServer(from, token, { argument, onlyProjects })
      : await readFromFile(argument, token);
  const { mapBundle } = await import("../transfer/bundle/map-bundle.ts");
  const { namingOptions } = await import("./read-options.ts");
  const mapped = await namingOptions(OPTION_BY_PROPERTY, () =>
    Promise.resolve(
      mapBundle(bundle, {
        onlyProjects,
        projects: readProjects(project),
        environments: readPairs(environment, "environment"),
      }),
    ),
  );
  return { ...others, input: JSON.stringify(mapped) };
}

const OPTION_BY_PROPERTY = {
  onlyProjects: "only-project",
  projects: "project",
  environments: "environment",
} as const;

interface ServerOptions {
  readonly argument: string | undefined;
  readonly onlyProjects: readonly string[] | undefined;
}

async function readFromServer(
  from: string,
  token: string | true | undefined,
  { argument, onlyProjects }: ServerOptions,
): Promise<Bundle> {
  if (argument !== undefined) {
    throw new SubcommandError("Either a file or --from is required, and not both", EXIT_USAGE);
  }
  if (typeof token !== "string") {
    throw new SubcommandError(
      "--token-file is required with --from: a file with an admin token of the server",
      EXIT_USAGE,
    );
  }
  const { createUnleashClient, UnleashServerError } =
    await import("../transfer/bundle/unleash-client.ts");
  const { readServer } = await import("../transfer/bundle/read-server.ts");
  try {
    return await readServer(createUnleashClient(from, token), onlyProjects);
  } catch (error) {
    if (error instanceof UnleashServerError) {
      throw new SubcommandError(`--from: ${error.message}`, EXIT_FAILURE, { cause: error });
    }
    throw error;
  }
}

async function readFromFile(
  file: string | undefined,
  token: string | true | undefined,
): Promise<Bundle> {
  if (file === undefined) {
    throw new SubcommandError(
      "A file is required, or --from with the address of an Unleash server",
      EXIT_USAGE,
    );
  }
  if (token !== undefined) {
    throw new SubcommandError("--token-file has no effect without --from", EXIT_USAGE);
  }
  const { readBundleFromText } = await import("../transfer/bundle/read-bundle.ts");
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new SubcommandError(`Cannot read ${file}: ${explainUnreadable(cause)}`, EXIT_FAILURE, {
      cause,
    });
  });
  try {
    return await readBundleFromText(text);
  } catch (error) {
    throw new SubcommandError(`${file}: ${toErrorMessage(error)}`, EXIT_FAILURE, { cause: error });
  }
}

function readProjects(text: string | true | undefined): Readonly<Record<string, string>> {
  const pairs = readPairs(text, "project");
  const missing = Object.entries(pairs).find(([, target]) => target === null);
  if (missing === undefined) return pairs as Readonly<Record<string, string>>;
  throw new SubcommandError(
    `--project must have the form OLD=NEW: ${JSON.stringify(missing[0])} has no new project. --only-project leaves projects out`,
    EXIT_USAGE,
  );
}

function readPairs(
  text: string | true | undefined,
  option: string,
): Readonly<Record<string, string | null>> {
  if (typeof text !== "string") return {};
  return Object.fromEntries(
    splitList(text).map((pair) => {
      const [old = "", target, ...others] = pair.split("=").map((name) => name.trim());
      if (old === "" || target === undefined || others.length > 0) {
        throw new SubcommandError(
          `--${option} must be a list of OLD=NEW, separated by commas: current value is ${JSON.stringify(text)}`,
          EXIT_USAGE,
        );
      }
      return [old, target === "" ? null : target];
    }),
  );
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
