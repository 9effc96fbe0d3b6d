import { redactTokens } from "../logging/redact.ts";
import { readTextFile } from "./read-text-file.ts";
import {
  type Environment,
  resolveFrom,
  type Resolution,
  type SettingSources,
  UnreadableFile,
} from "./resolve-options.ts";
import type { SettingsTable } from "./setting.ts";
import type { InvalidValue } from "./setting-kinds.ts";
import { showText } from "./show-text.ts";

/** Returns the environment variables of this process. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** Reads every setting, and the files that variables such as `FLAGS_API_TOKEN_FILE` name. */
export function resolveSettings<Table extends SettingsTable>(
  table: Table,
  sources: SettingSources,
): Resolution<Table> {
  return resolveFrom(table, sources, readSecretFile);
}

/** Reads a secret from a file. Whitespace around it is ignored. */
export function readSecretFile(path: string): string | InvalidValue {
  const file = readTextFile(path);
  // NOTE: hides tokens, because a secret may have been put in place of the path.
  const name = redactTokens(showText(path));
  if ("problem" in file) return new UnreadableFile(`cannot read the file ${name}: ${file.problem}`);
  const text = file.text.trim();
  return text === "" ? new UnreadableFile(`the file ${name} is empty`) : text;
}
