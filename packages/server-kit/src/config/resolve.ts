import type { Environment } from "./environment.ts";
import { InvalidValue } from "./kinds/kind.ts";
import { readOption } from "./read-option.ts";
import type { Setting, SettingsTable, ValuesOf } from "./setting.ts";
import { showText } from "./show-text.ts";

/** What options and environment say together, before anything is loaded. */
export interface Resolution<Table extends SettingsTable = SettingsTable> {
  /** Every setting's value; the default also where something else was given but is wrong. */
  readonly values: ValuesOf<Table>;
  /** Where a value was given, in words; nothing for defaults. */
  readonly origins: ReadonlyMap<keyof Table, string>;
  readonly problems: readonly string[];
}

/** What a program is told. */
export interface Sources {
  /** Settings by their names in code. */
  readonly options?: object;
  readonly environment: Environment;
}

interface Given {
  readonly origin: string;
  readonly value: unknown;
  readonly isText: boolean;
}

/** Reads every setting: an option beats the environment, which beats the default. */
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
    const value = read(setting, given);
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

function read({ kind }: Setting<unknown>, { value, isText }: Given): unknown {
  return isText ? kind.fromText(String(value)) : kind.fromValue(value);
}

function describeProblem(setting: Setting<unknown>, given: Given, flaw: InvalidValue): string {
  const allowed = given.isText ? setting.kind.allowedText : setting.kind.allowed;
  return `${given.origin} must be ${allowed}: ${flaw.detail ?? describeValue(setting, given.value)}`;
}

function describeValue({ secret }: Setting<unknown>, value: unknown): string {
  if (secret === true) return "current value is not shown, as it is a secret";
  return `current value is ${showValue(value)}`;
}

function showValue(value: unknown): string {
  if (typeof value === "string") return showText(value);
  if (Array.isArray(value)) return "a list with other entries";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
