import { isRecord } from "../is-record.ts";
import { InvalidValue } from "./kind.ts";
import type { Setting, SettingsTable, ValuesOf } from "./setting.ts";
import { showText } from "./show-text.ts";

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment variables of this process. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

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

/** Where the values of settings come from. */
interface Sources {
  /** Options of the embedding program, as it passed them. */
  readonly options?: object;
  readonly environment: Environment;
}

interface Given {
  readonly origin: string;
  readonly value: unknown;
  readonly isText: boolean;
}

/**
 * Reads every setting. An option takes precedence over environment variables, and these over the
 * default.
 */
export function resolveSettings<Table extends SettingsTable>(
  table: Table,
  sources: Sources,
): Resolution<Table> {
  const values: Record<string, unknown> = {};
  const origins = new Map<keyof Table, string>();
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(table)) {
    values[name] = setting.fallback;
    const given = findGiven(setting, sources);
    if (given === undefined) continue;
    origins.set(name, given.origin);
    const value = parseGiven(setting, given);
    if (value instanceof InvalidValue) problems.push(describeProblem(setting, given, value));
    else values[name] = value;
  }
  return { values: values as ValuesOf<Table>, origins, problems };
}

function findGiven(
  setting: Setting<unknown>,
  { options = {}, environment }: Sources,
): Given | undefined {
  const { option, variables } = setting;
  const value = option === undefined ? undefined : readOption(options, option);
  if (value !== undefined) return { origin: `Option ${option}`, value, isText: false };
  for (const variable of variables) {
    const text = environment[variable]?.trim() ?? "";
    if (text !== "") return { origin: variable, value: text, isText: true };
  }
  return undefined;
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

function parseGiven({ kind }: Setting<unknown>, { value, isText }: Given): unknown {
  return isText ? kind.fromText(String(value)) : kind.fromValue(value);
}

function describeProblem(
  setting: Setting<unknown>,
  given: Given,
  { detail }: InvalidValue,
): string {
  const allowed = given.isText ? setting.kind.allowedText : setting.kind.allowed;
  return `${given.origin} must be ${allowed}: ${detail ?? describeValue(setting, given.value)}`;
}

function describeValue({ secret }: Setting<unknown>, value: unknown): string {
  if (secret === true) return "current value is not shown, as it is a secret";
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
  return setting.secretTexts?.(value) ?? listTexts(value);
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isRecord(value) ? Object.values(value).flatMap(listTexts) : [];
}
