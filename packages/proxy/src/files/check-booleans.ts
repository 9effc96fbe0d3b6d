import type { Entry } from "./project-exports.ts";
import { type ParsedText, type ValuePath } from "./parse-text.ts";
import { FileError } from "./read-file.ts";

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

const MAX_PROBLEMS = 20;
const MAX_SHOWN = 40;

/**
 * Rejects booleans that are written in another way, such as `off`, which is text in YAML 1.2. The engine reads them as
 * JavaScript does, like the official SDK, so that `off` would mean on.
 *
 * @param isMap whether the members of the file are its flags
 * @throws {FileError}
 */
export function checkBooleans(file: Entry, isMap: boolean, locate: ParsedText["locate"]): void {
  const seen = new Set<unknown>();
  const found = isMap
    ? Object.entries(file).flatMap(([name, flag]) => [...malformedIn(flag, [name], seen)])
    : [...malformedIn(file, [], seen)];
  if (found.length === 0) return;
  throw new FileError(
    found
      .slice(0, MAX_PROBLEMS)
      .map(
        ({ path, value }) =>
          `${locate(path)}: ${path.at(-1)} must be true or false, found ${describeValue(value)}`,
      ),
  );
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
  seen: Set<unknown>,
): Generator<MalformedValue> {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  const members: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, member] of members) {
    const at = [...path, key];
    if (UNCHECKED.has(key)) continue;
    if (!BOOLEANS.has(key)) yield* malformedIn(member, at, seen);
    else if (typeof member !== "boolean" && member !== null) yield { path: at, value: member };
  }
}

function describeValue(value: unknown): string {
  if (typeof value === "object") return "a list or an object";
  return JSON.stringify(value).slice(0, MAX_SHOWN);
}
