import type { SettingKind } from "./setting-kinds.ts";

/** One setting of a program: where it is read, its allowed values, its default and its description. */
export interface Setting<T, Default extends T | undefined = T | undefined> {
  /** Heading under which help and documentation list the setting. */
  readonly group: string;
  /** Name in code, with dots between groups; undefined if only the environment can set it. */
  readonly option?: string;
  /** Environment variables. The first one that is set takes precedence. */
  readonly variables: readonly string[];
  readonly kind: SettingKind<T>;
  readonly default: Default;
  /** Describes the default where its value is not clear enough. */
  readonly defaultText?: string;
  readonly required?: boolean;
  /** The value must never be shown. */
  readonly secret?: boolean;
  /** The secret strings within a secret value. @default all strings of the value */
  secretTexts?(value: T): readonly string[];
  /** What the setting does, in full sentences. */
  readonly description: string;
}

/** Every setting of a program, by its name in code. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The type of the value of a setting: the type that its kind parses, or that of its default. */
type ValueOfSetting<S> = S extends Setting<infer T, infer Default> ? T | Default : never;

/** The types of the values of all settings of a table. */
export type ValuesOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: ValueOfSetting<Table[Name]>;
};

/** Declares a setting, and infers the types of its value and its default. */
export function defineSetting<T, const Default extends T | undefined>(
  setting: Setting<T, Default>,
): Setting<T, Default> {
  return setting;
}

/** Describes the default of a setting. */
export function describeDefault({ default: value, defaultText }: Setting<unknown>): string {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return "none";
  return Array.isArray(value) ? value.join(", ") : `${value as string | number | boolean}`;
}

/** Names a setting in messages, by the variable and the option with which a reader can change it. */
export function nameSetting({ option, variables }: Setting<unknown>): string {
  const [variable] = variables;
  if (variable === undefined) return `Option ${option}`;
  return option === undefined ? variable : `${variable} (option ${option})`;
}

/** Name of the variable that contains the path of a file with the value of a secret variable. */
export function fileVariableOf(variable: string): string {
  return `${variable}_FILE`;
}

/** Lists all variables that a setting is read from, including those with the path of a file. */
export function variablesOf({ variables, secret }: Setting<unknown>): readonly string[] {
  if (secret !== true) return variables;
  // NOTE: a variable in lower case, such as http_proxy, is only another spelling.
  const names = variables.filter((name) => name === name.toUpperCase());
  return [...variables, ...names.map(fileVariableOf)];
}
