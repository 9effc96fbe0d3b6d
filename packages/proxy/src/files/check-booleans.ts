import { describeCount } from "flags-sdk/neutral";
import { isRecord } from "flags-server-kit/neutral";
import type { ValuePath } from "./json-positions.ts";
import type { ParsedText } from "./parse-text.ts";
import type { Entry } from "./project-exports.ts";

/** Members of flags, strategies, constraints and dependencies. */
const BOOLEANS: ReadonlySet<string | number> = new Set([
  "archived",
  "caseInsensitive",
  "disabled",
  "enabled",
  "impressionData",
  "inverted",
  "stale",
]);

/** Members whose content belongs to applications. */
const UNCHECKED: ReadonlySet<string | number> = new Set(["parameters", "payload"]);

/** The lists with parts of flags and segments in all formats, and the member with the name of the flag or segment. */
const LISTS = [
  ["features", "name"],
  ["featureEnvironments", "featureName"],
  ["featureStrategies", "featureName"],
  ["dependencies", "feature"],
  ["segments", "name"],
] as const;

const MAX_WARNINGS = 20;

interface CheckOptions {
  /** Whether the members of the file are its flags. */
  readonly isMap: boolean;
  /** The environment of an export that is served: the others are not checked. Undefined for definitions and maps. */
  readonly environment: string | undefined;
}

/** What must not be used, because a boolean in it is neither true nor false. */
interface MalformedBooleans {
  /** The names of flags. */
  readonly flags: ReadonlySet<unknown>;
  /** Entries of `segments`. */
  readonly segments: ReadonlySet<unknown>;
  readonly warnings: readonly string[];
}

/**
 * Finds booleans that are written in another way, such as `off`, which is text in YAML 1.2. The engine reads them as
 * JavaScript does, like the official SDK, so that `off` would mean on.
 */
export function checkBooleans(
  file: Entry,
  locate: ParsedText["locate"],
  { isMap, environment }: CheckOptions,
): MalformedBooleans {
  const flags = new Set<unknown>();
  const segments = new Set<unknown>();
  const problems: { readonly path: ValuePath; readonly message: string }[] = [];
  for (const { isSegment, name, entry, path } of isMap ? membersOf(file) : listedPartsOf(file)) {
    const found = [...malformedIn(entry, path, environment)];
    const isDefinition = isMap || (path[0] === "features" && environment === undefined);
    const value = isRecord(entry) ? entry["enabled"] : false;
    if (isDefinition && isMissing(value)) found.push({ path: [...path, "enabled"], value });
    if (found.length === 0) continue;
    (isSegment ? segments : flags).add(isSegment ? entry : name);
    const subject = `${isSegment ? "segment" : "flag"} ${JSON.stringify(name)}`;
    const effect = isSegment ? "strategies with this segment match nobody" : "the flag is off";
    for (const malformed of found) {
      const what = `${malformed.path.at(-1)} of ${subject}`;
      const shown = describeValue(malformed.value);
      const message = `${what} must be true or false, found ${shown}: ${effect}`;
      problems.push({ path: malformed.path, message });
    }
  }
  const warnings = problems
    .slice(0, MAX_WARNINGS)
    .map((problem) => `${locate(problem.path)}: ${problem.message}`);
  const more = problems.length - warnings.length;
  if (more > 0) warnings.push(`${describeCount(more, "more value")} must be true or false`);
  return { flags, segments, warnings };
}

/** A part of a flag or segment. */
interface Part {
  readonly isSegment: boolean;
  readonly name: unknown;
  readonly entry: unknown;
  readonly path: ValuePath;
}

function membersOf(file: Entry): readonly Part[] {
  const parts = Object.entries(file);
  return parts.map(([name, entry]) => ({ isSegment: false, name, entry, path: [name] }));
}

function listedPartsOf(file: Entry): readonly Part[] {
  return LISTS.flatMap(([list, key]) => {
    const entries = file[list];
    if (!Array.isArray(entries)) return [];
    return entries.map((entry: unknown, index) => ({
      isSegment: list === "segments",
      name: isRecord(entry) ? (entry[key] ?? entry["id"]) : undefined,
      entry,
      path: [list, index],
    }));
  });
}

interface MalformedValue {
  readonly path: ValuePath;
  readonly value: unknown;
}

/**
 * Yields the booleans in a value that are neither true nor false. Those that are missing or null are false.
 *
 * @param seen what has been searched: in YAML, aliases can make a value part of itself
 */
function* malformedIn(
  value: unknown,
  path: ValuePath,
  environment: string | undefined,
  seen = new Set<unknown>(),
): Generator<MalformedValue> {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  const { name, environment: ofPart } = value as Entry;
  // A part of an export can belong to another environment than the one that is served.
  const own = path.at(-2) === "environments" ? name : ofPart;
  if (environment !== undefined && own !== undefined && own !== environment) return;
  const members: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, member] of members) {
    const at = [...path, key];
    if (UNCHECKED.has(key)) continue;
    if (!BOOLEANS.has(key)) yield* malformedIn(member, at, environment, seen);
    else if (typeof member !== "boolean" && !isMissing(member)) yield { path: at, value: member };
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

const MAX_SHOWN = 40;

function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "object" && value !== null) return "a list or an object";
  return JSON.stringify(value).slice(0, MAX_SHOWN);
}
