import type { Report } from "./diagnostics.ts";
import { describeType, isRecord, parseBoolean, textOrUndefined } from "./json.ts";
import type { Constraint, MaybeConstraint } from "./model.ts";

/** Parses the constraints of a strategy or segment. Missing constraints are an empty list. */
export function parseConstraints(input: unknown, report: Report): readonly MaybeConstraint[] {
  if (!input) return [];
  if (Array.isArray(input)) return input.map((entry: unknown) => parseConstraint(entry, report));
  report(`constraints must be a list, found ${describeType(input)}: they are never satisfied`);
  return [undefined];
}

function parseConstraint(input: unknown, report: Report): MaybeConstraint {
  if (!isRecord(input)) {
    report(`A constraint must be an object, found ${describeType(input)}: it is never satisfied`);
    return undefined;
  }
  return {
    contextName: toName(input["contextName"]),
    operator: textOrUndefined(input["operator"]) ?? "",
    values: parseValues(input["values"]),
    value: parseValue(input["value"]),
    inverted: parseBoolean(input["inverted"], "inverted", report),
    caseInsensitive: parseBoolean(input["caseInsensitive"], "caseInsensitive", report),
  };
}

/** Converts a name to text: a missing name becomes "undefined", an object or list the name of its type. */
export function toName(input: unknown): string {
  return typeof input === "object" && input !== null ? describeType(input) : String(input);
}

/** Trims the entries and drops the empty ones. A blank entry becomes an empty text and counts. */
function parseValues(input: unknown): readonly string[] | undefined {
  if (!Array.isArray(input)) return undefined;
  const values: string[] = [];
  for (const entry of input as readonly unknown[]) {
    if (!entry) continue;
    if (typeof entry !== "string") return undefined;
    values.push(entry.trim());
  }
  return values;
}

function parseValue(input: unknown): Constraint["value"] {
  switch (typeof input) {
    case "string":
    case "number":
    case "boolean":
      return input;
    default:
      return input === null ? null : undefined;
  }
}
