import { statSync } from "node:fs";
import { join, parse, resolve } from "node:path";
import { explainUnreadable } from "flags-server-kit";
import { listFileNames } from "../files/directory.ts";
import { ENVIRONMENT, parseFlagFilesAddress } from "./flag-files-address.ts";
import type { FlagFile } from "../files/read-flag-file.ts";

/** Passes the files on to worker processes: a directory may have changed since the start. Not a setting. */
export const WORKER_FILES = "FLAGS_FILES_OF_WORKERS";

/** Each file is read every time it changes, and kept in memory. */
const MAX_FILES = 100;

export interface FlagFiles {
  readonly files: readonly FlagFile[];
  /** Reasons why they cannot be used. */
  readonly problems: readonly string[];
}

/**
 * Lists the files that an address names; undefined if it is not a file address.
 *
 * @param listed in a worker process, the files that the primary process has listed
 */
export function listFlagFiles(address: string, listed?: string): FlagFiles | undefined {
  const parsed = parseFlagFilesAddress(address);
  if (parsed === undefined || typeof parsed === "string") return undefined;
  if (listed !== undefined) {
    return { files: JSON.parse(listed) as readonly FlagFile[], problems: [] };
  }
  const path = resolve(parsed.path);
  try {
    if (!statSync(path).isDirectory()) {
      return { files: [{ path, environment: parsed.environment }], problems: [] };
    }
    const problems =
      parsed.environment === undefined
        ? []
        : [
            "?environment has no effect on a directory, whose files are named after environments: remove it",
          ];
    const directory = listDirectory(path);
    return { files: directory.files, problems: [...problems, ...directory.problems] };
  } catch (error) {
    return { files: [], problems: [`${path}: ${explainUnreadable(error)}`] };
  }
}

/** NOTE: a ConfigMap also contains hidden directories and links to them. */
function listDirectory(directory: string): FlagFiles {
  const names = listFileNames(directory);
  const problems = names.flatMap((name) => {
    const environment = parse(name).name;
    if (!ENVIRONMENT.test(environment)) {
      return [
        `${join(directory, name)}: the name must be that of an environment, without spaces, commas, \`:\`, \`.\` and \`*\``,
      ];
    }
    const other = names.find((each) => each < name && parse(each).name === environment);
    return other === undefined
      ? []
      : [
          `${join(directory, name)}: ${other} has the flags of the same environment: remove one of them`,
        ];
  });
  if (names.length === 0) {
    problems.push(
      `${directory}: it contains no files with flags: name them after environments, such as production.json`,
    );
  }
  if (names.length > MAX_FILES)
    problems.push(`${directory}: it contains more than ${MAX_FILES} files`);
  const files = names.map((name) => ({
    path: join(directory, name),
    environment: parse(name).name,
    directory,
  }));
  return { files, problems };
}
