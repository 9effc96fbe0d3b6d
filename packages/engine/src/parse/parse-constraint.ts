import type { Report } from "./diagnostic.ts";
import { isObject, kindOf, textOrUndefined } from "./json.ts";
import type { Constraint, MaybeConstraint } from "./model.ts";

/** Reads the constraints of a strategy or segment; none at all is the empty list. */
export function parseConstraints(input: unknown, report: Report): readonly MaybeConstraint[] {
  if (!input) return [];
  if (Array.isArray(input)) return input.map((entry: unknown) => parseConstraint(entry, report));
  report(`constraints must be a list, found ${kindOf(input)}: they are never fulfilled`);
  return [undefined];
}

function parseConstraint(input: unknown, report: Report): MaybeConstraint {
  if (!isObject(input)) {
    report(`A constraint must be an object, found ${kindOf(input)}: it is never fulfilled`);
    return undefined;
  }
  return {
    contextName: fieldName(input["contextName"]),
    operator: textOrUndefined(input["operator"]) ?? "",
    values: parseValues(input["values"]),
    value: parseValue(input["value"]),
    inverted: Boolean(input["inverted"]),
    caseInsensitive: Boolean(input["caseInsensitive"]),
  };
}

/** Like a property key: a missing name is the name "undefined". */
export function fieldName(input: unknown): string {
  return typeof input === "object" && input !== null ? kindOf(input) : String(input);
}

/** Trims the entries and drops the empty ones; a blank entry stays, as the empty text. */
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
