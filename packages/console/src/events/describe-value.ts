import { isObject } from "../../../admin/src/event-words/recorded-state.ts";
import { formatCount } from "../ui/numbers.ts";

/** How many entries of a list are shown. */
const MAX_ENTRIES = 6;

/** How many characters of a string are shown. */
const MAX_LENGTH = 300;

/** Describes a recorded value in one line; long lists and strings are abbreviated. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null || value === "") return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return describeList(value);
  if (typeof value === "string") return shorten(value);
  if (!isObject(value)) return JSON.stringify(value);
  const parts = Object.entries(value)
    .filter(([, part]) => !isNothing(part))
    .map(([name, part]) => `${describeField(name)}: ${describeValue(part)}`);
  return shorten(parts.join(", "));
}

function describeList(values: readonly unknown[]): string {
  if (values.length === 0) return "nothing";
  const shown = values.slice(0, MAX_ENTRIES).map((value) => describeValue(value));
  const others = values.length - shown.length;
  return shorten(shown.join(isObject(values[0]) ? "; " : ", ")) + describeOthers(others);
}

function describeOthers(count: number): string {
  return count === 0 ? "" : ` and ${formatCount(count)} more`;
}

function isNothing(value: unknown): boolean {
  return describeValue(value) === "nothing" || value === false;
}

function shorten(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
}

/** Names a field in words: `impressionData` becomes "impression data". Other names stay as they are. */
function describeField(name: string): string {
  return /^[a-z]+(?:[A-Z][a-z]+)+$/.test(name)
    ? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    : name;
}

/** Names the place of a field, for example "parameters › rollout". */
export function describePath(path: readonly string[]): string {
  return path.map((name) => describeField(name)).join(" › ");
}
