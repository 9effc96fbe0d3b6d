import { isRecord } from "../json.ts";
import type { Environment } from "./resolve-options.ts";
import { type SettingsTable, variablesOf } from "./setting.ts";

/** The names of options and variables that a program reads. */
export interface SettingNames {
  readonly settings: SettingsTable;
  /** Prefixes of the program's variables: an unknown variable with such a prefix is a mistake. */
  readonly variablePrefixes: readonly string[];
  /** Prefixes of variables and options in the programs that users migrate from. */
  readonly renamedPrefixes: readonly { readonly from: string; readonly to: string }[];
  /** Options and variables of the programs that users migrate from. */
  readonly replacements?: Readonly<Record<string, Replacement>>;
  /** Variables of the programs that users migrate from that the program reads too. @default none */
  readonly otherVariables?: readonly string[];
}

interface Replacement {
  readonly hint: string;
  /** The variable that replaces it. If that is set, there is no hint about a variable. */
  readonly by?: string;
}

/** @param prefix the names of the enclosing groups, each followed by a dot */
export function findUnknownOptions(
  names: SettingNames,
  options: object,
  prefix = "",
): readonly string[] {
  const known = Object.values(names.settings).flatMap(({ option }) => option ?? []);
  return Object.entries(options).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (known.includes(name) || value === undefined) return [];
    const replacement = findReplacement(names, name);
    if (replacement !== undefined) return [`Option ${name} does not exist: ${replacement.hint}`];
    const members = known
      .filter((each) => each.startsWith(`${name}.`))
      .map((each) => each.slice(name.length + 1))
      .filter((each) => !each.includes("."));
    if (members.length === 0) {
      const meant = findNearest(rename(name, names) ?? name, known);
      return [`Option ${name} does not exist${didYouMean(meant)}`];
    }
    return isRecord(value)
      ? findUnknownOptions(names, value, `${name}.`)
      : [`Option ${name} must be an object with the options ${members.join(", ")}`];
  });
}

/** A variable that is set but never read. */
export interface UnknownVariable {
  readonly name: string;
  readonly hint: string;
}

/**
 * Finds every variable that is never read although it has a prefix of the program, or hardly differs from
 * a variable that is not set.
 */
export function findUnknownVariables(
  names: SettingNames,
  environment: Environment,
): readonly UnknownVariable[] {
  const known = Object.values(names.settings).flatMap(variablesOf);
  return Object.entries(environment).flatMap(([name, text = ""]) => {
    if (text.trim() === "" || known.includes(name)) return [];
    const hint = describeUnknown(name, names, known, environment);
    return hint === undefined ? [] : [{ name, hint }];
  });
}

function describeUnknown(
  name: string,
  names: SettingNames,
  known: readonly string[],
  environment: Environment,
): string | undefined {
  const isSet = (other: string): boolean => (environment[other] ?? "") !== "";
  const replacement = findReplacement(names, name);
  if (replacement !== undefined) {
    const { by = "", hint } = replacement;
    return isSet(by) ? undefined : `${name} is set but never read: ${hint}`;
  }
  const renamed = rename(name, names);
  if (renamed !== undefined && known.includes(renamed)) {
    return isSet(renamed) ? undefined : `${name} is ignored: use ${renamed} instead`;
  }
  if (isSetByKubernetes(name, environment[name])) return undefined;
  const ours = renamed ?? name;
  const prefix = names.variablePrefixes.find((each) => ours.startsWith(each));
  if (prefix !== undefined) {
    const meant = findByOption(ours, names.settings) ?? findNearest(ours, known, prefix);
    return `${name} is set but never read${didYouMean(meant)}`;
  }
  const meant = findMisspelt(name, [...known, ...(names.otherVariables ?? [])]);
  if (meant === undefined || isSet(meant)) return undefined;
  return `${name} is set but never read${didYouMean(meant)}`;
}

function findReplacement({ replacements = {} }: SettingNames, name: string) {
  return Object.hasOwn(replacements, name) ? replacements[name] : undefined;
}

function rename(name: string, { renamedPrefixes }: SettingNames): string | undefined {
  const prefix = renamedPrefixes.find(({ from }) => name.startsWith(from));
  return prefix && `${prefix.to}${name.slice(prefix.from.length)}`;
}

/** NOTE: Kubernetes sets such variables in every pod of a namespace with a service named `flags-…`. */
function isSetByKubernetes(name: string, text = ""): boolean {
  const isUrl = name.endsWith("_PORT") && /^[a-z]+:\/\//.test(text);
  return isUrl || /_SERVICE_(?:HOST|PORT)|_PORT_\d+_(?:TCP|UDP|SCTP)/.test(name);
}

/** Finds the variable of the setting whose option or variable a name consists of, after `FLAGS_`. */
function findByOption(name: string, settings: SettingsTable): string | undefined {
  const wanted = simplify(name);
  const meant = Object.values(settings).find(({ option, variables }) =>
    [option ?? [], variables].flat().some((each) => simplify(`FLAGS_${each}`) === wanted),
  );
  return meant?.variables[0];
}

/** Shorter names differ in one letter too often by chance. */
const MIN_TYPO_LENGTH = 8;

/**
 * Finds the variable from which a name differs only in underscores, letter case, a plural or one letter. Names of one
 * word, such as `PORT`, are too common.
 */
function findMisspelt(name: string, candidates: readonly string[]): string | undefined {
  const wanted = simplify(name);
  return candidates
    .filter((each) => each.includes("_"))
    .find((each) => {
      const other = simplify(each);
      const maxEdits = Math.min(wanted.length, other.length) < MIN_TYPO_LENGTH ? 0 : 1;
      return editDistance(wanted, other) <= maxEdits;
    });
}

/** Returns a name in capitals without underscores, and without the plural of its words. */
function simplify(name: string): string {
  return name.toUpperCase().replaceAll(/S?(?:_|$)/g, "");
}

function didYouMean(name: string | undefined): string {
  return name === undefined ? "" : `: did you mean ${name}?`;
}

const MAX_EDITS = 3;

/**
 * Returns the candidate that `name` is probably a typo of; undefined if none is close enough.
 *
 * @param prefix the beginning of `name` that many candidates share, so that it makes none more likely
 */
export function findNearest(
  name: string,
  candidates: Iterable<string>,
  prefix = "",
): string | undefined {
  let nearest: string | undefined;
  let best = Math.min(MAX_EDITS, Math.floor((name.length - prefix.length) / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [above, letter] of from.split("").entries()) {
    const next = [above + 1];
    for (const [left, other] of to.split("").entries()) {
      const replaced = (row[left] ?? 0) + (letter === other ? 0 : 1);
      const isSwapped = letter === to[left - 1] && from[above - 1] === other;
      const swapped = isSwapped ? (beforeLast[left - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[left + 1] ?? 0) + 1, (next[left] ?? 0) + 1));
    }
    beforeLast = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
