import type { Payload } from "../outcome.ts";
import type { Report } from "./diagnostics.ts";
import { describeType, isRecord, parseBoolean, textOrUndefined } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Dependency, Feature, Strategy, Variant, VariantOverride } from "./model.ts";
import { parseConstraints, toName } from "./parse-constraint.ts";

export function parseFeature(name: string, input: JsonObject, report: Report): Feature {
  const { enabled } = input;
  if (enabled === undefined || enabled === null) {
    report(`enabled must be true or false, found ${describeType(enabled)}: treated as false`);
  }
  return {
    name,
    details: {
      name,
      type: textOrUndefined(input["type"]),
      project: textOrUndefined(input["project"]),
      stale: parseBoolean(input["stale"], "stale", report),
      impressionData: parseBoolean(input["impressionData"], "impressionData", report),
    },
    enabled: parseBoolean(enabled, "enabled", report),
    strategies: parseStrategies(input["strategies"], report),
    variants: parseVariants(input["variants"], report),
    dependencies: parseDependencies(input["dependencies"], report),
  };
}

function parseStrategies(input: unknown, report: Report): readonly Strategy[] | undefined {
  if (!Array.isArray(input)) {
    report(`strategies must be a list, found ${describeType(input)}: the flag is off`);
    return undefined;
  }
  return input.map((entry: unknown) => parseStrategy(entry, report));
}

/** Replaces a strategy that is not an object. Its malformed constraint never matches. */
const MALFORMED_STRATEGY: Strategy = {
  name: "",
  parameters: {},
  constraints: [undefined],
  segments: [],
  variants: [],
};

function parseStrategy(input: unknown, report: Report): Strategy {
  if (!isRecord(input)) {
    report(`A strategy must be an object, found ${describeType(input)}: it never matches`);
    return MALFORMED_STRATEGY;
  }
  const { parameters, disabled } = input;
  // NOTE: upstreams leave disabled strategies out, and the official SDK does not know the field.
  if (disabled) report("disabled of a strategy is ignored: the strategy is evaluated");
  return {
    name: textOrUndefined(input["name"]) ?? "",
    parameters: isRecord(parameters) ? parameters : {},
    constraints: parseConstraints(input["constraints"], report),
    segments: parseSegmentIds(input["segments"], report),
    variants: parseVariants(input["variants"], report),
  };
}

function parseSegmentIds(input: unknown, report: Report): readonly unknown[] {
  if (!input) return [];
  if (Array.isArray(input)) return input;
  const found = describeType(input);
  report(`segments must be a list of ids, found ${found}: the strategy never matches`);
  return [undefined];
}

function parseVariants(input: unknown, report: Report): readonly Variant[] {
  if (!Array.isArray(input)) return [];
  return input
    .map((entry: unknown) => parseVariant(entry, report))
    .filter((variant) => variant !== undefined);
}

function parseVariant(input: unknown, report: Report): Variant | undefined {
  if (!isRecord(input)) {
    report(`A variant must be an object, found ${describeType(input)}: it is ignored`);
    return undefined;
  }
  const { name } = input;
  if (name === undefined || typeof name === "object") {
    report(`A variant must have a name, found ${describeType(name)}: it is ignored`);
    return undefined;
  }
  return {
    name: toName(name),
    weight: parseWeight(input["weight"]),
    stickiness: input["stickiness"],
    payload: parsePayload(input["payload"], report),
    overrides: parseOverrides(input["overrides"], report),
  };
}

function parseWeight(input: unknown): number {
  if (typeof input === "number") return input;
  return typeof input === "string" ? Number(input) : input === null ? 0 : Number.NaN;
}

/** The value of a payload is a string on the wire, so any other value is serialized as JSON. */
function parsePayload(input: unknown, report: Report): Payload | undefined {
  if (!isRecord(input)) return undefined;
  const { type, value } = input;
  if (typeof type !== "string") {
    const found = describeType(type);
    report(`The type of a payload must be a string, found ${found}: treated as string`);
  }
  return Object.freeze({
    type: textOrUndefined(type) ?? "string",
    value: typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  });
}

function parseOverrides(input: unknown, report: Report): readonly VariantOverride[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((entry: unknown) => {
    const { contextName, values } = isRecord(entry) ? entry : {};
    if (Array.isArray(values)) return { contextName: toName(contextName), values: textsOf(values) };
    report("An override must have a list of values: it never matches");
    return [];
  });
}

function parseDependencies(input: unknown, report: Report): readonly (Dependency | undefined)[] {
  if (Array.isArray(input)) return input.map((entry: unknown) => parseDependency(entry, report));
  if (typeof input !== "string" || input === "") return [];
  report("dependencies must be a list, found a string: the flag is off");
  return [undefined];
}

function parseDependency(input: unknown, report: Report): Dependency | undefined {
  if (!isRecord(input)) {
    report(`A dependency must be an object, found ${describeType(input)}: the flag is off`);
    return undefined;
  }
  const { enabled } = input;
  if (typeof enabled !== "boolean" && enabled !== undefined && enabled !== null) {
    const found = describeType(enabled);
    report(`enabled of a dependency must be true or false, found ${found}: treated as true`);
  }
  return {
    feature: toName(input["feature"]),
    enabled: enabled !== false,
    variants: textsOf(input["variants"]),
  };
}

function textsOf(input: unknown): readonly string[] {
  return Array.isArray(input) ? input.filter((entry) => typeof entry === "string") : [];
}
