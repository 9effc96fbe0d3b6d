import { parseEnv } from "node:util";
import { readTextFile } from "../config/read-text-file.ts";
import { StartError } from "./start-failure.ts";

type Variables = Record<string, string | undefined>;

/** Node reads these when the process starts, so they would have no effect in a file. */
const READ_BY_NODE: readonly string[] = ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS"];

/**
 * Adds the variables of files to an environment, which takes precedence unless its variable is empty. A
 * later file takes precedence over an earlier one. Worker processes inherit the environment. Returns the names in the files.
 *
 * @throws {StartError} with all problems, if a file cannot be used
 */
export function loadEnvFiles(paths: readonly string[], environment: Variables): readonly string[] {
  const added: Variables = {};
  const problems: string[] = [];
  for (const path of paths) {
    const variables = readEnvFile(path);
    if (typeof variables === "string") problems.push(variables);
    else Object.assign(added, variables);
  }
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  problems.push(
    ...READ_BY_NODE.filter((name) => (added[name] ?? "") !== "" && !isSet(name)).map(
      (name) =>
        `${name} has no effect in an env file, because Node reads it earlier: set it in the environment`,
    ),
  );
  if (problems.length > 0) throw new StartError(problems.join("\n"));
  for (const [name, value] of Object.entries(added)) {
    if (!isSet(name)) environment[name] = value;
  }
  return Object.keys(added);
}

function readEnvFile(path: string): Variables | string {
  const file = readTextFile(path);
  if ("problem" in file) return `Cannot read the env file ${JSON.stringify(path)}: ${file.problem}`;
  const line = findInvalidLine(file.text);
  // NOTE: does not show the line, which may contain a secret.
  if (line !== undefined) {
    return `Cannot use the env file ${JSON.stringify(path)}: line ${line} is neither NAME=value nor a comment that begins with #`;
  }
  return parseEnv(file.text);
}

/** A blank line, a comment or a variable, whose value may span several lines if it is quoted. */
const ENTRY =
  /[^\S\n]*(?:#[^\n]*|(?:export[^\S\n]+)?[A-Za-z_]\w*[^\S\n]*=[^\S\n]*(?:"[^"]*"[^\n]*|'[^']*'[^\n]*|`[^`]*`[^\n]*|[^\n]*))?(?:\n|$)/y;

/** NOTE: `parseEnv` ignores what it does not understand, for example a file in another format. */
function findInvalidLine(text: string): number | undefined {
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < text.length) {
    const start = ENTRY.lastIndex;
    if (!ENTRY.test(text)) return text.slice(0, start).split("\n").length;
  }
  return undefined;
}
