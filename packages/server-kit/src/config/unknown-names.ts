import { isRecord } from "../json.ts";
import type { Environment } from "./resolve-options.ts";
import { type SettingsTable, variablesOf } from "./setting.ts";

/** A prefix of names that has been replaced by another. */
interface RenamedPrefix {
  readonly from: string;
  readonly to: string;
}

/** The names of options and variables that a program reads. */
export interface SettingNames {
  readonly settings: SettingsTable;
  /** Prefixes of the program's variables: an unknown variable with such a prefix is a mistake. */
  readonly variablePrefixes: readonly string[];
  /** Prefixes of variables and options in the programs that users migrate from. */
  readonly renamedPrefixes: readonly RenamedPrefix[];
  /** Options and variables of the programs that users migrate from. */
  readonly replacements?: Readonly<Record<string, Replacement>>;
  /** Variables of the programs that users migrate from that the program reads too. @default none */
  readonly otherVariables?: readonly string[];
}

/** What to do instead of setting an option or variable that does not exist here. */
interface Replacement {
  readonly hint: string;
  /** The variable that replaces it. If that is set, there is no hint about a variable. */
  readonly by?: string;
}

/** Returns a problem for every option that does not exist. */
export function findUnknownOptions(names: SettingNames, options: object): readonly string[] {
  return findUnknownMembers(options, names, "");
}

/** @param prefix empty, or the names of the enclosing groups, each followed by a dot */
function findUnknownMembers(
  options: object,
  names: SettingNames,
  prefix: string,
): readonly string[] {
  const { settings, renamedPrefixes, replacements = {} } = names;
  const known = Object.values(settings).flatMap(({ option }) => option ?? []);
  return Object.entries(options).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (known.includes(name) || value === undefined) return [];
    const replacement = Object.hasOwn(replacements, name) ? replacements[name] : undefined;
    if (replacement !== undefined) return [`Option ${name} does not exist: ${replacement.hint}`];
    const members = membersOf(name, known);
    if (members.length === 0) {
      return [`Option ${name} does not exist${suggest(name, known, renamedPrefixes)}`];
    }
    return isRecord(value)
      ? findUnknownMembers(value, names, `${name}.`)
      : [`Option ${name} must be an object with the options ${members.join(", ")}`];
  });
}

/** Lists the options within a group such as `cors`. */
function membersOf(group: string, known: readonly string[]): readonly string[] {
  return known
    .filter((name) => name.startsWith(`${group}.`))
    .map((name) => name.slice(group.length + 1))
    .filter((name) => !name.includes("."));
}

/** A variable that is set but never read. */
export interface UnknownVariable {
  readonly name: string;
  /** Says that it is never read, and what to do. */
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
    // An empty variable counts as not set.
    if (text.trim() === "" || known.includes(name)) return [];
    const hint = describeUnknown(name, names, known, environment);
    return hint === undefined ? [] : [{ name, hint }];
  });
}

/** Returns undefined for a variable that probably belongs to another program. */
function describeUnknown(
  name: string,
  names: SettingNames,
  known: readonly string[],
  environment: Environment,
): string | undefined {
  const { variablePrefixes, renamedPrefixes, replacements = {} } = names;
  const replacement = Object.hasOwn(replacements, name) ? replacements[name] : undefined;
  if (replacement !== undefined) {
    const isReplaced = (environment[replacement.by ?? ""] ?? "") !== "";
    return isReplaced ? undefined : `${name} is set but never read: ${replacement.hint}`;
  }
  const renamed = rename(name, renamedPrefixes);
  if (renamed !== undefined && known.includes(renamed)) {
    const isMeant = environment[renamed] === undefined;
    return isMeant ? `${name} is ignored: use ${renamed} instead` : undefined;
  }
  if (isSetByKubernetes(name)) return undefined;
  const prefix = variablePrefixes.find((each) => (renamed ?? name).startsWith(each));
  if (prefix !== undefined) {
    const suggestion = suggestVariable(name, names, known, prefix);
    return `${name} is set but never read${suggestion}`;
  }
  const meant = findMisspelt(name, known, names.otherVariables);
  const isMeant = meant !== undefined && (environment[meant] ?? "") === "";
  return isMeant ? `${name} is set but never read${didYouMean(meant)}` : undefined;
}

/** Shorter names differ in one letter too often by chance. */
const MIN_TYPO_LENGTH = 8;

/**
 * Finds the variable that a name without a prefix of the program is probably meant to be: one that differs
 * only in underscores, letter case, a plural or one letter. Names of one word, such as `PORT`, are too common.
 */
function findMisspelt(
  name: string,
  known: readonly string[],
  others: readonly string[] = [],
): string | undefined {
  const wanted = simplify(name);
  const candidates = [...known, ...others].filter((each) => each.includes("_"));
  const isTypo = (simplified: string): boolean =>
    Math.min(wanted.length, simplified.length) >= MIN_TYPO_LENGTH &&
    editDistance(wanted, simplified) === 1;
  return (
    candidates.find((each) => simplify(each) === wanted) ??
    candidates.find((each) => isTypo(simplify(each)))
  );
}

/** Returns a name in capitals without underscores, and without the plural of its words. */
function simplify(name: string): string {
  return name.toUpperCase().replaceAll(/S?(?:_|$)/g, "");
}

/** NOTE: Kubernetes sets such variables in every pod of a namespace with a service named `flags-…`. */
function isSetByKubernetes(name: string): boolean {
  return /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/.test(name);
}

function rename(name: string, prefixes: readonly RenamedPrefix[]): string | undefined {
  const prefix = prefixes.find(({ from }) => name.startsWith(from));
  return prefix && `${prefix.to}${name.slice(prefix.from.length)}`;
}

/** Prefix of the variables of these programs. Some have names without it, such as HOST. */
const OWN_PREFIX = "FLAGS_";

/** Suggests the variable that a name is a typo of, or of the option that it is derived from. */
function suggestVariable(
  name: string,
  { settings, renamedPrefixes }: SettingNames,
  known: readonly string[],
  prefix: string,
): string {
  const renamed = rename(name, renamedPrefixes) ?? name;
  const derived = Object.values(settings).find(
    ({ option }) =>
      option !== undefined && simplify(`${OWN_PREFIX}${option}`) === simplify(renamed),
  );
  const [meant] = derived?.variables ?? [];
  return meant === undefined ? suggest(name, known, renamedPrefixes, prefix) : didYouMean(meant);
}

function suggest(
  name: string,
  candidates: readonly string[],
  renamedPrefixes: readonly RenamedPrefix[],
  prefix = "",
): string {
  const renamed = rename(name, renamedPrefixes) ?? name;
  // NOTE: not without prefixes such as DATABASE_: DATABASE_HOST has nothing to do with HOST.
  const rest = prefix === OWN_PREFIX ? renamed.slice(prefix.length) : renamed;
  const nearest =
    [renamed, rest].find((each) => candidates.includes(each)) ??
    findNearest(renamed, candidates, prefix);
  return nearest === undefined ? "" : didYouMean(nearest);
}

function didYouMean(name: string): string {
  return `: did you mean ${name}?`;
}

/** Maximum edit distance at which one name counts as a typo of another. */
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

/** Counts inserted, removed, replaced and swapped letters. */
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
