import type { Payload } from "../outcome.ts";
import type { Report } from "./diagnostic.ts";
import { isObject, kindOf } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Variant, VariantOverride } from "./model.ts";
import { fieldName } from "./parse-constraint.ts";

/** Reads the variants of a flag or strategy; anything but a list is no variants. */
export function parseVariants(input: unknown, report: Report): readonly Variant[] {
  if (!Array.isArray(input)) return [];
  const variants: Variant[] = [];
  for (const entry of input as readonly unknown[]) {
    if (isObject(entry)) variants.push(parseVariant(entry, report));
    else report(`A variant must be an object, found ${kindOf(entry)}: it is left out`);
  }
  return variants;
}

function parseVariant(input: JsonObject, report: Report): Variant {
  return {
    name: fieldName(input["name"]),
    weight: parseWeight(input["weight"]),
    stickiness: input["stickiness"],
    payload: parsePayload(input["payload"]),
    overrides: parseOverrides(input["overrides"], report),
  };
}

function parseWeight(input: unknown): number {
  if (typeof input === "number") return input;
  return typeof input === "string" ? Number(input) : input === null ? 0 : Number.NaN;
}

/** The value of a payload is text on the wire, so anything else is written as JSON. */
function parsePayload(input: unknown): Payload | undefined {
  if (!isObject(input)) return undefined;
  const { type, value } = input;
  return Object.freeze({
    type: String(type),
    value: typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  });
}

function parseOverrides(input: unknown, report: Report): readonly VariantOverride[] {
  if (!Array.isArray(input)) return [];
  return input.map((entry: unknown) => {
    const { contextName, values } = isObject(entry) ? entry : {};
    if (!Array.isArray(values)) report("An override must have a list of values: it never matches");
    return {
      contextName: fieldName(contextName),
      values: Array.isArray(values) ? values.filter((value) => typeof value === "string") : [],
    };
  });
}
