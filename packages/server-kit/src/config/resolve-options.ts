import { isRecord } from "../json.ts";
import { InvalidValue, rejectLateAt } from "./setting-kinds.ts";
import { fileVariableOf, type Setting, type SettingsTable, type ValuesOf } from "./setting.ts";
import { showText } from "./show-text.ts";

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The error for an invalid configuration. Lists every problem, without revealing any secret. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "FLAGS_CONFIG";
  readonly problems: readonly string[];
  /** Harmless observations that may explain a problem. */
  readonly hints: readonly string[];

  constructor(problems: readonly string[], hints: readonly string[] = []) {
    super(
      [...toList("Cannot use this configuration", problems), ...toList("Note", hints)].join("\n"),
    );
    this.problems = Object.freeze([...problems]);
    this.hints = Object.freeze([...hints]);
  }
}

function toList(heading: string, sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return [];
  return [`${heading}:`, ...sentences.map((sentence) => `  - ${sentence}`)];
}

/** The values of all settings, read from options and environment variables. */
export interface Resolution<Table extends SettingsTable = SettingsTable> {
  /** The value of every setting; the default if an invalid value was given. */
  readonly values: ValuesOf<Table>;
  /** The option or variable that each value comes from; no entry for defaults. */
  readonly origins: ReadonlyMap<keyof Table, string>;
  readonly problems: readonly string[];
}

export interface SettingSources {
  /** Options of the embedding program, as it passed them. */
  readonly options?: object;
  readonly environment: Environment;
  /** The names under which the user has set variables and options, where they differ. */
  readonly origins?: ReadonlyMap<string, string>;
}

/** Reads the secret in a file; returns what is wrong with the file as an `UnreadableFile`. */
export type ReadSecretFile = (path: string) => string | InvalidValue;

/** The file of a secret cannot be read. `detail` is a sentence about the file. */
export class UnreadableFile extends InvalidValue {}

interface Given {
  readonly origin: string;
  readonly value: unknown;
  /** Whether the value is the path of a file that contains the text. */
  readonly isFile: boolean;
}

/**
 * Reads every setting. An option takes precedence over environment variables, and these over the
 * default. Reads the files that variables such as `FLAGS_API_TOKEN_FILE` name with the function.
 */
export function resolveFrom<Table extends SettingsTable>(
  table: Table,
  sources: SettingSources,
  readSecretFile: ReadSecretFile,
): Resolution<Table> {
  const values: Record<string, unknown> = {};
  const origins = new Map<keyof Table, string>();
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(table)) {
    values[name] = setting.default;
    const [given, other] = findGiven(setting, sources);
    if (given === undefined) continue;
    origins.set(name, given.origin);
    if (other !== undefined) {
      problems.push(`${given.origin} and ${other.origin} are both set: remove one of them`);
      continue;
    }
    const value = parseGiven(setting, given, readSecretFile);
    if (value instanceof InvalidValue) problems.push(describeProblem(setting, given, value));
    else values[name] = value;
  }
  return { values: values as ValuesOf<Table>, origins, problems };
}

/** Reads every setting that is an option. The environment is not read. */
export function resolveOptions<Table extends SettingsTable>(
  table: Table,
  options: object,
): Resolution<Table> {
  return resolveFrom(table, { options, environment: {} }, () => new UnreadableFile());
}

/** Returns what gives the setting its value; two entries contradict each other. */
function findGiven(
  setting: Setting<unknown>,
  { options = {}, environment, origins = new Map() }: SettingSources,
): readonly Given[] {
  const { option, variables, secret } = setting;
  const value = option === undefined ? undefined : readOption(options, option);
  const originOf = (name: string): string => origins.get(name) ?? name;
  if (value !== undefined) return [{ origin: originOf(`Option ${option}`), value, isFile: false }];
  const find = (names: readonly string[], isFile: boolean): readonly Given[] =>
    names
      .map((name) => ({ origin: originOf(name), value: environment[name]?.trim(), isFile }))
      .filter((given) => (given.value ?? "") !== "")
      .slice(0, 1);
  const files = secret === true ? variables.map(fileVariableOf) : [];
  return [...find(variables, false), ...find(files, true)];
}

/** Reads an option such as `cors.maxAge`; undefined if it or the group that contains it is not set. */
function readOption(options: object, path: string): unknown {
  let value: unknown = options;
  for (const key of path.split(".")) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function parseGiven(
  { kind }: Setting<unknown>,
  { value, isFile }: Given,
  readSecretFile: ReadSecretFile,
): unknown {
  const text = isFile ? readSecretFile(String(value)) : value;
  if (text instanceof InvalidValue) return text;
  if (typeof text !== "string") return kind.parse(text);
  return rejectLateAt(text) ?? kind.parse(text.trim());
}

function describeProblem(setting: Setting<unknown>, given: Given, invalid: InvalidValue): string {
  if (invalid instanceof UnreadableFile) return `${given.origin}: ${invalid.detail}`;
  const { kind } = setting;
  const rule = given.isFile ? "must name a file that contains" : "must be";
  return `${given.origin} ${rule} ${kind.allowed}: ${invalid.detail ?? describeValue(setting, given.value)}`;
}

function describeValue({ secret }: Setting<unknown>, value: unknown): string {
  if (secret === true) return "current value is secret and not shown";
  return `current value is ${showValue(value)}`;
}

function showValue(value: unknown): string {
  if (typeof value === "string") return showText(value);
  if (Array.isArray(value)) return "a list with other entries";
  if (isRecord(value)) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

/** Returns every configured text that must never be shown. */
export function collectSecrets<Table extends SettingsTable>(
  table: Table,
  values: ValuesOf<Table>,
): readonly string[] {
  return Object.entries(table)
    .flatMap(([name, setting]) => secretsOf(setting, values[name]))
    .filter((text) => text !== "");
}

function secretsOf(setting: Setting<unknown>, value: unknown): readonly string[] {
  if (setting.secret !== true || value === undefined) return [];
  // Of a header such as `Bearer abcd`, the log must not contain `abcd` either.
  return (
    setting.secretTexts?.(value) ??
    listTexts(value).flatMap((text) => [text, text.replace(/^\S+\s+/, "")])
  );
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isRecord(value) ? Object.values(value).flatMap(listTexts) : [];
}
