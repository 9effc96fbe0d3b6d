import type { Program, Renaming } from "../program.ts";
import type { Environment } from "./environment.ts";
import { findNearest } from "./nearest.ts";
import { isRecord } from "./read-option.ts";

/** The part of a program that says which names it knows. */
type Names = Pick<Program, "settings" | "variablePrefixes" | "renamings">;

/** A problem for every option that does not exist, so that no slip goes unnoticed. */
export function findUnknownOptions(
  { settings, renamings }: Names,
  options: object,
): readonly string[] {
  const known = Object.values(settings).flatMap(({ option }) => option ?? []);
  return findUnknownMembers(options, { known, renamings, prefix: "" });
}

interface Scope {
  readonly known: readonly string[];
  readonly renamings: readonly Renaming[];
  /** Empty, or the names of the groups around these options, each with a dot. */
  readonly prefix: string;
}

function findUnknownMembers(options: object, scope: Scope): readonly string[] {
  const { known, renamings, prefix } = scope;
  return Object.entries(options).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (known.includes(name) || value === undefined) return [];
    const members = listMembers(name, known);
    if (members.length === 0) {
      return [`Option ${name} does not exist${suggest(name, known, renamings)}`];
    }
    return isRecord(value)
      ? findUnknownMembers(value, { ...scope, prefix: `${name}.` })
      : [`Option ${name} must be an object with the options ${members.join(", ")}`];
  });
}

/** What `cors` and whatever else holds options of its own can hold. */
function listMembers(group: string, known: readonly string[]): readonly string[] {
  return known
    .filter((name) => name.startsWith(`${group}.`))
    .map((name) => name.slice(group.length + 1))
    .filter((name) => !name.includes("."));
}

/** A hint for every variable that looks like one of the program but is never read. */
export function findUnknownVariables(
  { settings, variablePrefixes, renamings }: Names,
  environment: Environment,
): readonly string[] {
  const known = Object.values(settings).flatMap(({ variables }) => variables);
  return Object.keys(environment).flatMap((name) => {
    const renamed = rename(name, renamings);
    if (renamed !== undefined) {
      const isMeant = known.includes(renamed) && environment[renamed] === undefined;
      return isMeant ? [`${name} is set but never read: its name is ${renamed} here`] : [];
    }
    const isOurs = variablePrefixes.some((prefix) => name.startsWith(prefix));
    if (!isOurs || known.includes(name) || isOfKubernetes(name)) return [];
    return [`${name} is set but never read${suggest(name, known, renamings)}`];
  });
}

/** NOTE: Kubernetes puts such variables into every pod beside a service named `flags-…`. */
function isOfKubernetes(name: string): boolean {
  return /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/.test(name);
}

function rename(name: string, renamings: readonly Renaming[]): string | undefined {
  const renaming = renamings.find(({ from }) => name.startsWith(from));
  return renaming && `${renaming.to}${name.slice(renaming.from.length)}`;
}

function suggest(
  name: string,
  candidates: readonly string[],
  renamings: readonly Renaming[],
): string {
  const renamed = rename(name, renamings) ?? name;
  const nearest = candidates.includes(renamed) ? renamed : findNearest(name, candidates);
  return nearest === undefined ? "" : `: did you mean ${nearest}?`;
}
