import type { Environment } from "./environment.ts";
import { Flaw } from "./kinds/kind.ts";
import { readOption } from "./read-option.ts";
import type { Setting } from "./setting.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

type ValueOfSetting<S> = S extends Setting<infer T, infer Default> ? T | Default : never;

/** Every setting's value; the default also where something else was given but is wrong. */
export type Values = { readonly [Name in SettingName]: ValueOfSetting<Settings[Name]> };

/** What options and environment say together, before anything is loaded. */
export interface Resolution {
  readonly values: Values;
  /** Where a value was given, in words; nothing for defaults. */
  readonly origins: ReadonlyMap<SettingName, string>;
  readonly problems: readonly string[];
}

interface Given {
  readonly origin: string;
  readonly value: unknown;
  readonly isText: boolean;
}

/** Reads every setting: an option beats the environment, which beats the default. */
export function resolveSettings(options: object, environment: Environment): Resolution {
  const values: Record<string, unknown> = {};
  const origins = new Map<SettingName, string>();
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    values[name] = setting.fallback;
    const given = findGiven(setting, options, environment);
    if (given === undefined) continue;
    origins.set(name, given.origin);
    const value = read(setting, given);
    if (value instanceof Flaw) problems.push(describeProblem(setting, given, value));
    else values[name] = value;
  }
  return { values: values as Values, origins, problems };
}

/** How a setting is called in messages: by what a reader can change. */
export function nameSetting({ option, variables }: Setting<unknown>): string {
  const [variable] = variables;
  if (variable === undefined) return `Option ${option}`;
  return option === undefined ? variable : `${variable} (option ${option})`;
}

function findGiven(
  setting: Setting<unknown>,
  options: object,
  environment: Environment,
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

function describeProblem(setting: Setting<unknown>, given: Given, flaw: Flaw): string {
  const allowed = given.isText ? setting.kind.allowedText : setting.kind.allowed;
  return `${given.origin} must be ${allowed}: ${flaw.detail ?? describeValue(setting, given.value)}`;
}

function describeValue({ secret }: Setting<unknown>, value: unknown): string {
  if (secret === true) return "current value is not shown, as it is a secret";
  return `current value is ${showValue(value)}`;
}

const MAX_SHOWN_LENGTH = 100;

function showValue(value: unknown): string {
  if (typeof value === "string") {
    const text = JSON.stringify(value);
    return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  }
  if (Array.isArray(value)) return "a list with other entries";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
