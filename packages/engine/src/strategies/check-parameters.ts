import { findStrategyType } from "./strategy-table.ts";
import type { EntryKind } from "./strategy-table.ts";
import { isAddressOrRange } from "../constraints/address-text.ts";
import { describeUseless, NO_ADDRESS } from "../constraints/useless-entries.ts";

export interface ParameterProblem {
  readonly parameter: string;
  /** Continues a sentence that begins with the parameter, such as `is "150", which counts as 100%: …`. */
  readonly message: string;
}

/**
 * Finds entries of lists that can never match, and percentages out of range, in the parameters of a built-in strategy.
 * Parameters of the wrong type are not included.
 *
 * NOTE: the console bundles this file.
 */
export function checkParameters(
  strategy: string,
  parameters: Readonly<Record<string, unknown>>,
): readonly ParameterProblem[] {
  const type = findStrategyType(strategy);
  if (type === undefined || type.kind === "everyone") return [];
  const { parameter } = type;
  const value = parameters[parameter];
  const message =
    type.kind === "rollout"
      ? describePercentage(value)
      : describeList(value, ENTRIES[type.entries]);
  return message === undefined ? [] : [{ parameter, message }];
}

/**
 * Converts a percentage to a whole number from 0 to 100: SDKs divide users into 100 groups. Returns NaN for a value that
 * is not a number.
 */
export function toPercentage(value: unknown): number {
  const number = typeof value === "object" && value !== null ? Number.NaN : Number(value);
  return Number.isNaN(number) ? number : Math.max(0, Math.min(Math.floor(number), 100));
}

/**
 * Splits a comma-separated list. White space around the commas is removed; at the start and the end of the whole list it
 * is kept, as in the official SDK.
 *
 * NOTE: splitting by a regular expression takes quadratic time for long white space without a comma.
 */
export function splitListParameter(text: string): readonly string[] {
  const entries = text.split(",");
  const last = entries.length - 1;
  return entries.map((entry, index) => {
    const trimmed = index < last ? entry.trimEnd() : entry;
    return index > 0 ? trimmed.trimStart() : trimmed;
  });
}

function describePercentage(value: unknown): string | undefined {
  const counted = toPercentage(value);
  if (Number.isNaN(counted)) return undefined;
  const number = Number(value);
  const isNumber = typeof value === "number" || (typeof value === "string" && /\S/.test(value));
  const isInRange = number === 0 || (number >= 1 && number <= 100);
  if (isNumber && isInRange) return undefined;
  return `is ${JSON.stringify(value)}, which counts as ${counted}%: it must be a number from 1 to 100, or 0`;
}

function describeList(value: unknown, { accepts, effect }: EntryRule): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return describeUseless(splitListParameter(value), accepts, effect);
}

interface EntryRule {
  readonly accepts: (entry: string) => boolean;
  /** What the other entries match. */
  readonly effect: string;
}

const ENTRIES: Readonly<Record<EntryKind, EntryRule>> = {
  addressRanges: {
    // NOTE: an entry matches with the white space that is left at the ends of the list.
    accepts: (entry) => isTrimmed(entry) && isAddressOrRange(entry),
    effect: NO_ADDRESS,
  },
  hostNames: {
    accepts: (entry) => /^\S+$/.test(entry),
    effect: "which no host matches: an entry must be the name of a host",
  },
  userIds: {
    accepts: isTrimmed,
    effect: "which matches only with the same white space around it",
  },
};

function isTrimmed(entry: string): boolean {
  return entry === entry.trim();
}
