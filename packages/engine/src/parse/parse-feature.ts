import type { Report } from "./diagnostic.ts";
import { isObject, kindOf, textOrUndefined } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Dependency, Feature, Strategy } from "./model.ts";
import { parseConstraints } from "./parse-constraint.ts";
import { parseVariants } from "./parse-variant.ts";

export function parseFeature(name: string, input: JsonObject, report: Report): Feature {
  const { enabled } = input;
  if (typeof enabled !== "boolean") {
    report(`enabled must be true or false, found ${kindOf(enabled)}: taken as ${Boolean(enabled)}`);
  }
  return {
    name,
    type: textOrUndefined(input["type"]),
    project: textOrUndefined(input["project"]),
    stale: Boolean(input["stale"]),
    enabled: Boolean(enabled),
    impressionData: Boolean(input["impressionData"]),
    strategies: parseStrategies(input["strategies"], report),
    variants: parseVariants(input["variants"], report),
    dependencies: parseDependencies(input["dependencies"], report),
  };
}

function parseStrategies(input: unknown, report: Report): readonly Strategy[] | undefined {
  if (!Array.isArray(input)) {
    report(`strategies must be a list, found ${kindOf(input)}: the flag is off`);
    return undefined;
  }
  return input.map((entry: unknown) => parseStrategy(entry, report));
}

/** Stands for a strategy entry that is none: unknown by name, so it never matches. */
const NO_STRATEGY: Strategy = {
  name: "",
  parameters: {},
  constraints: [undefined],
  segments: [],
  variants: [],
};

function parseStrategy(input: unknown, report: Report): Strategy {
  if (!isObject(input)) {
    report(`A strategy must be an object, found ${kindOf(input)}: it never matches`);
    return NO_STRATEGY;
  }
  const { parameters } = input;
  return {
    name: textOrUndefined(input["name"]) ?? "",
    parameters: isObject(parameters) ? parameters : {},
    constraints: parseConstraints(input["constraints"], report),
    segments: parseSegmentIds(input["segments"], report),
    variants: parseVariants(input["variants"], report),
  };
}

function parseSegmentIds(input: unknown, report: Report): readonly unknown[] {
  if (!input) return [];
  if (Array.isArray(input)) return input;
  report(`segments must be a list of ids, found ${kindOf(input)}: the strategy never matches`);
  return [undefined];
}

function parseDependencies(input: unknown, report: Report): readonly (Dependency | undefined)[] {
  if (Array.isArray(input)) return input.map((entry: unknown) => parseDependency(entry, report));
  if (typeof input !== "string" || input === "") return [];
  report("dependencies must be a list, found a string: the flag is off");
  return [undefined];
}

function parseDependency(input: unknown, report: Report): Dependency | undefined {
  if (!isObject(input)) {
    report(`A dependency must be an object, found ${kindOf(input)}: the flag is off`);
    return undefined;
  }
  const { variants } = input;
  return {
    feature: String(input["feature"]),
    enabled: input["enabled"] !== false,
    variants: Array.isArray(variants) ? variants.filter((name) => typeof name === "string") : [],
  };
}
