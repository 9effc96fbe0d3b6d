import type { Environment } from "./environment.ts";
import { findNearest } from "./nearest.ts";
import { isRecord } from "./read-option.ts";
import type { Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);
const knownOptions: readonly string[] = settings.flatMap(({ option }) => option ?? []);
const knownVariables: readonly string[] = settings.flatMap(({ variables }) => variables);

/** `cors` and whatever else holds options of its own. */
const groups: ReadonlySet<string> = new Set(
  knownOptions.flatMap((name) => {
    const dot = name.indexOf(".");
    return dot === -1 ? [] : [name.slice(0, dot)];
  }),
);

/** A problem for every option that does not exist, so that no slip goes unnoticed. */
export function findUnknownOptions(options: object, prefix = ""): readonly string[] {
  return Object.entries(options).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (knownOptions.includes(name) || value === undefined) return [];
    if (!groups.has(name)) return [`Option ${name} does not exist${suggest(name, knownOptions)}`];
    return isRecord(value)
      ? findUnknownOptions(value, `${name}.`)
      : [`Option ${name} must be an object with the options ${listMembers(name)}`];
  });
}

/** A hint for every variable that looks like ours but is never read. */
export function findUnknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment).flatMap((name) => {
    const renamed = name.replace(/^UNLEASH_/, "FLAGS_");
    if (renamed !== name) return hintAtRenamed(name, renamed, environment);
    if (!name.startsWith("FLAGS_") || knownVariables.includes(name)) return [];
    // NOTE: Kubernetes puts such variables into every pod beside a service named `flags-…`.
    if (/_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/.test(name)) return [];
    return [`${name} is set but never read${suggest(name, knownVariables)}`];
  });
}

function hintAtRenamed(name: string, renamed: string, environment: Environment): readonly string[] {
  if (!knownVariables.includes(renamed) || environment[renamed] !== undefined) return [];
  return [`${name} is set but never read: its name is ${renamed} here`];
}

function suggest(name: string, candidates: readonly string[]): string {
  const renamed = name.replace(/^unleash/, "flags");
  const nearest = candidates.includes(renamed) ? renamed : findNearest(name, candidates);
  return nearest === undefined ? "" : `: did you mean ${nearest}?`;
}

function listMembers(group: string): string {
  return knownOptions
    .filter((name) => name.startsWith(`${group}.`))
    .map((name) => name.slice(group.length + 1))
    .filter((name) => !name.includes("."))
    .join(", ");
}
