import { isRecord } from "../json.ts";
import type { SettingKind } from "./setting-kinds.ts";

interface Definition<T, Default extends T | undefined, Option> {
  readonly kind: SettingKind<T, Option>;
  readonly default?: Default;
  /** Describes the default where its value is not clear enough. */
  readonly defaultText?: string;
  readonly required?: boolean;
  readonly secret?: boolean;
  /** The secret strings within a secret value. @default all strings of the value */
  secretTexts?(value: T): readonly string[];
  /** What the setting does, in full sentences: for help, documentation and the types of options. */
  readonly description: string;
}

/** One setting of a program: where it is read, its allowed values, its default and its description. */
export interface Setting<
  T,
  Default extends T | undefined = T | undefined,
  Option = unknown,
  Path extends string | undefined = string | undefined,
> extends Definition<T, Default, Option> {
  readonly group: string;
  /** Name in code, with dots between groups; undefined if only the environment can set it. */
  readonly option: Path;
  /** Environment variables. The first one that is set takes precedence. */
  readonly variables: readonly string[];
  readonly default: Default;
}

/** Every setting of a program, by its name in code. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

type ValueOfSetting<S> =
  S extends Setting<infer T, infer Default>
    ? T | (undefined extends Default ? undefined : never)
    : never;

/** The types of the values of all settings of a table. */
export type ValuesOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: ValueOfSetting<Table[Name]>;
};

/** The types of all options of a table, by their names with dots. */
export type OptionsOf<Table extends SettingsTable> = {
  readonly [
    Name in keyof Table as Extract<Table[Name]["option"], string>
  ]: Table[Name] extends Setting<infer _Value, infer _Default, infer Option> ? Option : never;
};

/** Heading of the settings of telemetry, to which a service can add its own. */
export const TELEMETRY_GROUP = "Telemetry";

/** Declares settings that help and documentation list under one heading, and infers their types. */
export class SettingGroup {
  readonly #heading: string;

  constructor(heading: string) {
    this.#heading = heading;
  }

  /** Declares a setting for programs and the environment. Without variables: only for programs. */
  option<
    T,
    Option,
    const Path extends string | undefined,
    const Default extends T | undefined = undefined,
  >(
    option: Path,
    variables: string | readonly string[],
    definition: Definition<T, Default, Option>,
  ): Setting<T, Default, Option, Path> {
    return {
      ...definition,
      group: this.#heading,
      option,
      variables: [variables].flat(),
      default: Object.freeze(definition.default) as Default,
    };
  }

  /** Declares a setting that only the environment can set. */
  variable<T, Option, const Default extends T | undefined = undefined>(
    variables: string | readonly string[],
    definition: Definition<T, Default, Option>,
  ): Setting<T, Default, Option, undefined> {
    return this.option(undefined, variables, definition);
  }
}

/** Describes the default of a setting. */
export function describeDefault({ default: value, defaultText }: Setting<unknown>): string {
  if (defaultText !== undefined) return defaultText;
  if (Array.isArray(value)) return value.join(", ") || "none";
  return isRecord(value)
    ? "none"
    : `${(value as string | number | boolean | undefined) ?? ""}` || "none";
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
